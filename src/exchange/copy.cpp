// SPDX-License-Identifier: BSD-3-Clause
// Loop nests over runs: packing, unpacking, adding, and copying from box to box.
#include "copy.hpp"

#include <base/text.hpp>
#include <cstring>
#include <nearfar/error.hpp>

namespace nearfar::exchange {

namespace {

/// One loop of a box on one or two sides: how often, and the step on each side.
struct loop {
  index count, step, other_step;
};

/// Joins what is contiguous on both sides; returns the run length and leaves the remaining loops, outermost first.
index join_loops(std::vector<loop>& loops, index element_bytes) {
  std::vector<loop> kept;  // innermost first
  index run = element_bytes;
  bool is_run_open = true;
  for (auto it = loops.rbegin(); it != loops.rend(); ++it) {
    if (it->count == 1) continue;
    if (is_run_open && it->step == run && it->other_step == run) {
      run *= it->count;
      continue;
    }
    is_run_open = false;
    if (!kept.empty() && it->step == kept.back().step * kept.back().count &&
        it->other_step == kept.back().other_step * kept.back().count)
      kept.back().count *= it->count;
    else
      kept.push_back(*it);
  }
  loops.assign(kept.rbegin(), kept.rend());
  return run;
}

std::vector<loop> loops_of(const strided_box& a, const strided_box& b) {
  std::vector<loop> loops;
  for (std::size_t d = 0; d < a.extents.size(); ++d)
    loops.push_back({a.extents[d], a.strides_bytes[d], b.strides_bytes[d]});
  return loops;
}

void check_depth(std::size_t loops) {
  if (loops > max_loops)
    throw usage_error(text("a region has ", loops, " dimensions that are not contiguous; at most ", max_loops));
}

/// Calls body(offset) for every combination of the outer loops (all but the innermost).
template <std::size_t Sides, class Body>
void for_outer(int loops, const std::array<index, max_loops>& counts,
               const std::array<const std::array<index, max_loops>*, Sides>& steps, Body body) {
  std::array<index, max_loops> at{};
  std::array<index, Sides> offset{};
  const int outer = loops - 1;
  for (;;) {
    body(offset);
    int d = outer - 1;
    for (; d >= 0; --d) {
      const auto i = static_cast<std::size_t>(d);
      for (std::size_t s = 0; s < Sides; ++s) offset[s] += (*steps[s])[i];
      if (++at[i] < counts[i]) break;
      for (std::size_t s = 0; s < Sides; ++s) offset[s] -= (*steps[s])[i] * counts[i];
      at[i] = 0;
    }
    if (d < 0) return;
  }
}

/// Calls body(first run, count, step) for each innermost loop of the walk.
template <class Body>
void for_rows(const walk& w, Body body) {
  if (w.run_bytes == 0) return;
  if (w.loops == 0) return body(w.first, index{1}, index{0});
  const auto inner = static_cast<std::size_t>(w.loops - 1);
  for_outer<1>(w.loops, w.counts, {&w.steps},
               [&](const std::array<index, 1>& at) { body(w.first + at[0], w.counts[inner], w.steps[inner]); });
}

template <class T>
void add_values(std::byte* to, const std::byte* from, index bytes) {
  for (index at = 0; at < bytes; at += index{sizeof(T)}) {
    T a, b;
    std::memcpy(&a, to + at, sizeof(T));
    std::memcpy(&b, from + at, sizeof(T));
    a = static_cast<T>(a + b);
    std::memcpy(to + at, &a, sizeof(T));
  }
}

using adder = void (*)(std::byte*, const std::byte*, index);
adder adder_of(value_type type) {
  switch (type) {
    case value_type::int32:
      return add_values<std::uint32_t>;  // unsigned: sums that overflow wrap instead of being undefined
    case value_type::int64:
      return add_values<std::uint64_t>;
    case value_type::float32:
      return add_values<float>;
    case value_type::float64:
      return add_values<double>;
    case value_type::bytes:
      break;
  }
  throw usage_error("adding needs a value type: int32, int64, float32 or float64");
}

template <std::size_t Bytes>
void gather(const std::byte* base, const std::vector<index>& indices, std::byte* to) {
  for (const index i : indices) {
    std::memcpy(to, base + i * index{Bytes}, Bytes);
    to += Bytes;
  }
}

template <std::size_t Bytes>
void scatter(const std::byte* from, std::byte* base, const std::vector<index>& indices) {
  for (const index i : indices) {
    std::memcpy(base + i * index{Bytes}, from, Bytes);
    from += Bytes;
  }
}

}  // namespace

index walk::runs() const noexcept {
  index n = run_bytes > 0 ? 1 : 0;
  for (int i = 0; i < loops; ++i) n *= counts[static_cast<std::size_t>(i)];
  return n;
}

index walk::bytes() const noexcept { return runs() * run_bytes; }

walk make_walk(std::byte* base, const strided_box& box) {
  walk w;
  w.first = base + box.offset_bytes;
  if (box.elements() == 0) return w;
  auto loops = loops_of(box, box);
  w.run_bytes = join_loops(loops, box.element_bytes);
  check_depth(loops.size());
  w.loops = static_cast<int>(loops.size());
  for (std::size_t i = 0; i < loops.size(); ++i) w.counts[i] = loops[i].count, w.steps[i] = loops[i].step;
  return w;
}

joint_walk make_joint_walk(std::byte* to_base, const strided_box& to, const std::byte* from_base,
                           const strided_box& from) {
  joint_walk w;
  w.to = to_base + to.offset_bytes;
  w.from = from_base + from.offset_bytes;
  if (to.elements() == 0) return w;
  auto loops = loops_of(to, from);
  w.run_bytes = join_loops(loops, to.element_bytes);
  check_depth(loops.size());
  w.loops = static_cast<int>(loops.size());
  for (std::size_t i = 0; i < loops.size(); ++i)
    w.counts[i] = loops[i].count, w.to_steps[i] = loops[i].step, w.from_steps[i] = loops[i].other_step;
  return w;
}

std::byte* pack(const walk& from, std::byte* to) {
  for_rows(from, [&](const std::byte* run, index count, index step) {
    copy_runs(to, from.run_bytes, run, step, count, from.run_bytes);
    to += count * from.run_bytes;
  });
  return to;
}

const std::byte* unpack(const std::byte* from, const walk& to) {
  for_rows(to, [&](std::byte* run, index count, index step) {
    copy_runs(run, step, from, to.run_bytes, count, to.run_bytes);
    from += count * to.run_bytes;
  });
  return from;
}

void copy(const joint_walk& w) {
  if (w.run_bytes == 0) return;
  if (w.loops == 0) return copy_runs(w.to, 0, w.from, 0, 1, w.run_bytes);
  const auto inner = static_cast<std::size_t>(w.loops - 1);
  for_outer<2>(w.loops, w.counts, {&w.to_steps, &w.from_steps}, [&](const std::array<index, 2>& at) {
    copy_runs(w.to + at[0], w.to_steps[inner], w.from + at[1], w.from_steps[inner], w.counts[inner], w.run_bytes);
  });
}

std::byte* pack(const std::byte* base, const index_list& list, std::byte* to) {
  switch (list.element_bytes) {
    case 4:
      gather<4>(base, list.indices, to);
      break;
    case 8:
      gather<8>(base, list.indices, to);
      break;
    case 16:
      gather<16>(base, list.indices, to);
      break;
    default:
      for (std::size_t k = 0; k < list.indices.size(); ++k)
        std::memcpy(to + as_index(k) * list.element_bytes, base + list.indices[k] * list.element_bytes,
                    as_size(list.element_bytes));
  }
  return to + list.elements() * list.element_bytes;
}

const std::byte* unpack(const std::byte* from, std::byte* base, const index_list& list) {
  switch (list.element_bytes) {
    case 4:
      scatter<4>(from, base, list.indices);
      break;
    case 8:
      scatter<8>(from, base, list.indices);
      break;
    case 16:
      scatter<16>(from, base, list.indices);
      break;
    default:
      for (std::size_t k = 0; k < list.indices.size(); ++k)
        std::memcpy(base + list.indices[k] * list.element_bytes, from + as_index(k) * list.element_bytes,
                    as_size(list.element_bytes));
  }
  return from + list.elements() * list.element_bytes;
}

const std::byte* accumulate(const std::byte* from, const walk& to, value_type type) {
  const adder add = adder_of(type);
  for_rows(to, [&](std::byte* run, index count, index step) {
    for (index i = 0; i < count; ++i, run += step, from += to.run_bytes) add(run, from, to.run_bytes);
  });
  return from;
}

const std::byte* accumulate(const std::byte* from, std::byte* base, const index_list& list, value_type type) {
  const adder add = adder_of(type);
  for (const index i : list.indices) {
    add(base + i * list.element_bytes, from, list.element_bytes);
    from += list.element_bytes;
  }
  return from;
}

}  // namespace nearfar::exchange
