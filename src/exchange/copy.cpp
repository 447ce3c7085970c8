// SPDX-License-Identifier: BSD-3-Clause
// Loop nests over runs: packing, unpacking, adding, and copying from box to box.
#include "copy.hpp"

#include <algorithm>
#include <base/text.hpp>
#include <cstdlib>
#include <cstring>
#include <near/past_caches.hpp>
#include <nearfar/error.hpp>

namespace nearfar::exchange {

namespace {

/// One loop of a box on one or two sides: how often, and the step on each side.
struct loop {
  index_t count, step, other_step;
};

bool is_slower(const loop& a, const loop& b) { return std::abs(a.step) > std::abs(b.step); }

/// Joins what is contiguous on both sides; returns the run length and leaves the remaining loops, outermost first.
index_t join_loops(std::vector<loop>& loops, index_t element_bytes) {
  std::vector<loop> kept;  // innermost first
  index_t run = element_bytes;
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
void for_outer(int loops, const std::array<index_t, max_loops>& counts,
               const std::array<const std::array<index_t, max_loops>*, Sides>& steps, Body body) {
  std::array<index_t, max_loops> at{};
  std::array<index_t, Sides> offset{};
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
  if (w.loops == 0) return body(w.first, index_t{1}, index_t{0});
  const auto inner = static_cast<std::size_t>(w.loops - 1);
  for_outer<1>(w.loops, w.counts, {&w.steps},
               [&](const std::array<index_t, 1>& at) { body(w.first + at[0], w.counts[inner], w.steps[inner]); });
}

/// Longer ones are copied by runs as fast.
constexpr index_t longest_plane_element = 64;

/// Where the innermost loop follows the destination's memory and another one the source's, that one becomes the second
/// innermost.
void make_planes(joint_walk& w, std::vector<loop>& loops) {
  if (loops.size() < 2 || w.run_bytes > longest_plane_element || loops.back().step != w.run_bytes) return;
  const auto fast =
      std::find_if(loops.begin(), loops.end() - 1, [&](const loop& l) { return l.other_step == w.run_bytes; });
  if (fast == loops.end() - 1) return;
  std::rotate(fast, fast + 1, loops.end() - 1);
  w.kernel = plane_kernel_for(w.run_bytes);
}

/// Whether the loop around the planes' two goes in shorter steps than both: its turns are layers, copied together.
bool has_layers(const joint_walk& w) {
  if (w.loops < 3) return false;
  const auto columns = static_cast<std::size_t>(w.loops - 1), rows = columns - 1, layers = columns - 2;
  return std::abs(w.to_steps[layers]) < std::abs(w.to_steps[rows]) &&
         std::abs(w.from_steps[layers]) < std::abs(w.from_steps[columns]);
}

void copy_planes(const joint_walk& w, bool past_caches) {
  const auto columns = static_cast<std::size_t>(w.loops - 1), rows = columns - 1;
  plane p{nullptr, nullptr, w.to_steps[rows], w.from_steps[columns], w.counts[rows], w.counts[columns], nullptr};
  const int inner_loops = has_layers(w) ? 3 : 2;
  if (inner_loops == 3)
    p.layers = w.counts[rows - 1], p.to_layer_step = w.to_steps[rows - 1], p.from_layer_step = w.from_steps[rows - 1];
  const auto copy_before = [&](const std::byte* next_from) {  // each when the next one is known
    p.next_from = next_from;
    if (p.to != nullptr) w.kernel(p, w.run_bytes, past_caches);
  };
  for_outer<2>(w.loops + 1 - inner_loops, w.counts, {&w.to_steps, &w.from_steps},
               [&](const std::array<index_t, 2>& at) {
                 copy_before(w.from + at[1]);
                 p.to = w.to + at[0], p.from = w.from + at[1];
               });
  copy_before(nullptr);
}

/// A run shorter than this is not worth the ends that fill no line.
constexpr index_t shortest_run_past_caches = 256;

void copy_row(const run_list& r, bool past_caches) {
  if (past_caches && r.run_bytes >= shortest_run_past_caches)
    run_kernel_past_caches()(r);
  else
    copy_runs(r.to, r.to_step, r.from, r.from_step, r.count, r.run_bytes);
}

void copy_rows(const joint_walk& w, bool past_caches) {
  const auto row = [&](std::byte* to, index_t to_step, const std::byte* from, index_t from_step, index_t count) {
    copy_row({to, to_step, from, from_step, count, w.run_bytes}, past_caches);
  };
  if (w.loops == 0) return row(w.to, 0, w.from, 0, 1);
  const auto inner = static_cast<std::size_t>(w.loops - 1);
  for_outer<2>(w.loops, w.counts, {&w.to_steps, &w.from_steps}, [&](const std::array<index_t, 2>& at) {
    row(w.to + at[0], w.to_steps[inner], w.from + at[1], w.from_steps[inner], w.counts[inner]);
  });
}

/// A walk and packed memory, together: the loop that is fast in the walk's memory and the innermost, fast in packed
/// memory, make planes.
struct packed_loops {
  std::array<index_t, max_loops> counts{}, steps{}, packed{};
};

packed_loops beside_packed(const walk& w) {
  packed_loops p{w.counts, w.steps, {}};
  index_t step = w.run_bytes;
  for (int i = w.loops; i-- > 0;) {
    p.packed[static_cast<std::size_t>(i)] = step;
    step *= w.counts[static_cast<std::size_t>(i)];
  }
  for (auto* values : {&p.counts, &p.steps, &p.packed})
    std::rotate(values->begin() + w.fast_loop, values->begin() + w.fast_loop + 1, values->begin() + w.loops - 1);
  return p;
}

void pack_planes(const walk& w, std::byte* to) {
  const packed_loops p = beside_packed(w);
  copy_planes({to, w.first, w.run_bytes, w.loops, p.counts, p.packed, p.steps, plane_kernel_for(w.run_bytes)}, false);
}

void unpack_planes(const std::byte* from, const walk& w, bool past_caches) {
  packed_loops p = beside_packed(w);
  const auto inner = static_cast<std::size_t>(w.loops - 1);
  for (auto* values : {&p.counts, &p.steps, &p.packed}) std::swap((*values)[inner], (*values)[inner - 1]);
  copy_planes({w.first, from, w.run_bytes, w.loops, p.counts, p.steps, p.packed, plane_kernel_for(w.run_bytes)},
              past_caches);
}

}  // namespace

index_t walk::runs() const noexcept {
  index_t n = run_bytes > 0 ? 1 : 0;
  for (int i = 0; i < loops; ++i) n *= counts[static_cast<std::size_t>(i)];
  return n;
}

index_t walk::bytes() const noexcept { return runs() * run_bytes; }

walk make_walk(std::byte* base, const strided_box& box) {
  walk w;
  w.first = base + box.offset_bytes;
  if (box.elements() == 0) return w;
  auto loops = loops_of(box, box);
  w.run_bytes = join_loops(loops, box.element_bytes);
  check_depth(loops.size());
  w.loops = static_cast<int>(loops.size());
  for (std::size_t i = 0; i < loops.size(); ++i) w.counts[i] = loops[i].count, w.steps[i] = loops[i].step;
  if (w.loops >= 2 && w.run_bytes <= longest_plane_element)
    for (int i = 0; i + 1 < w.loops; ++i)
      if (w.steps[static_cast<std::size_t>(i)] == w.run_bytes) w.fast_loop = i;
  return w;
}

walk in_memory_order(const walk& w) {
  std::vector<loop> loops;
  for (std::size_t i = 0; i < as_size(w.loops); ++i) loops.push_back({w.counts[i], w.steps[i], w.steps[i]});
  std::stable_sort(loops.begin(), loops.end(), is_slower);
  walk ordered;
  ordered.first = w.first;
  ordered.run_bytes = join_loops(loops, w.run_bytes);
  ordered.loops = static_cast<int>(loops.size());
  for (std::size_t i = 0; i < loops.size(); ++i) ordered.counts[i] = loops[i].count, ordered.steps[i] = loops[i].step;
  return ordered;
}

joint_walk make_joint_walk(std::byte* to_base, const strided_box& to, const std::byte* from_base,
                           const strided_box& from) {
  joint_walk w;
  w.to = to_base + to.offset_bytes;
  w.from = from_base + from.offset_bytes;
  if (to.elements() == 0) return w;
  auto loops = loops_of(to, from);
  std::stable_sort(loops.begin(), loops.end(), is_slower);
  w.run_bytes = join_loops(loops, to.element_bytes);
  check_depth(loops.size());
  make_planes(w, loops);
  w.loops = static_cast<int>(loops.size());
  for (std::size_t i = 0; i < loops.size(); ++i)
    w.counts[i] = loops[i].count, w.to_steps[i] = loops[i].step, w.from_steps[i] = loops[i].other_step;
  return w;
}

std::vector<joint_walk> in_parts(const joint_walk& w, index_t part_bytes) {
  if (w.run_bytes == 0 || w.loops == 0) return {w};
  constexpr index_t whole_tiles = 32;
  index_t inner_bytes = w.run_bytes;
  for (std::size_t i = 1; i < as_size(w.loops); ++i) inner_bytes *= w.counts[i];
  index_t most = std::max(part_bytes / inner_bytes, index_t{1});
  if (w.kernel != nullptr && w.loops == 2) most = (most + whole_tiles - 1) / whole_tiles * whole_tiles;
  std::vector<joint_walk> parts;
  for (index_t at = 0; at < w.counts[0]; at += most) {
    joint_walk& part = parts.emplace_back(w);
    part.to += at * w.to_steps[0], part.from += at * w.from_steps[0];
    part.counts[0] = std::min(most, w.counts[0] - at);
  }
  return parts;
}

std::byte* pack(const walk& from, std::byte* to) {
  if (from.fast_loop >= 0) return pack_planes(from, to), to + from.bytes();
  for_rows(from, [&](const std::byte* run, index_t count, index_t step) {
    copy_runs(to, from.run_bytes, run, step, count, from.run_bytes);
    to += count * from.run_bytes;
  });
  return to;
}

const std::byte* unpack(const std::byte* from, const walk& to, bool past_caches) {
  if (to.fast_loop >= 0) {
    unpack_planes(from, to, past_caches);
  } else {
    const std::byte* next = from;
    for_rows(to, [&](std::byte* run, index_t count, index_t step) {
      copy_row({run, step, next, to.run_bytes, count, to.run_bytes}, past_caches);
      next += count * to.run_bytes;
    });
  }
  if (past_caches) near::finish_past_caches();
  return from + to.bytes();
}

bool is_stored_past_caches(const joint_walk& w) {
  return w.kernel == nullptr && w.run_bytes >= shortest_run_past_caches;
}

void copy(const joint_walk& w, bool past_caches) {
  if (w.run_bytes == 0) return;
  w.kernel != nullptr ? copy_planes(w, past_caches) : copy_rows(w, past_caches);
  if (past_caches) near::finish_past_caches();
}

}  // namespace nearfar::exchange
