// SPDX-License-Identifier: BSD-3-Clause
// Planes, joint walks and packing of boxes whose memory orders differ, against loops over single elements.
#include <gtest/gtest.h>

#include <cstring>
#include <near/past_caches.hpp>
#include <numeric>
#include <random>

#include "copy.hpp"

namespace nearfar::exchange::test {
namespace {

std::vector<std::byte> noise(index_t bytes) {
  std::vector<std::byte> all(as_size(bytes));
  std::mt19937 random(5);
  for (auto& b : all) b = static_cast<std::byte>(random());
  return all;
}

struct named_kernel {
  const char* name;
  plane_kernel copy;
};

std::vector<named_kernel> kernels_for(index_t element_bytes) {
  std::vector<named_kernel> all{{"any", copy_plane_of_any}, {"chosen", plane_kernel_for(element_bytes)}};
  for (const named_kernel k : {named_kernel{"plain", plain::find(element_bytes)},
                               {"avx2", avx2::find(element_bytes)},
                               {"avx512", avx512::find(element_bytes)}})
    if (k.copy != nullptr) all.push_back(k);
  return all;
}

struct plane_case {
  index_t rows, columns, gap, head;  ///< elements between rows or columns, bytes before the first element
};

void check_plane(const plane_case& c, index_t element_bytes) {
  const index_t to_step = (c.columns + c.gap) * element_bytes, from_step = (c.rows + c.gap) * element_bytes;
  const auto source = noise(from_step * c.columns + c.head);
  const auto before = noise(to_step * c.rows + c.head + 64);
  auto wanted = before;
  for (index_t i = 0; i < c.rows; ++i)
    for (index_t j = 0; j < c.columns; ++j)
      std::memcpy(&wanted[as_size(c.head + i * to_step + j * element_bytes)],
                  &source[as_size(c.head + i * element_bytes + j * from_step)], as_size(element_bytes));
  for (const named_kernel& k : kernels_for(element_bytes))
    for (const bool past_caches : {false, true}) {
      auto got = before;
      k.copy({got.data() + c.head, source.data() + c.head, to_step, from_step, c.rows, c.columns}, element_bytes,
             past_caches);
      near::finish_past_caches();
      EXPECT_TRUE(got == wanted) << k.name << ", " << c.rows << " x " << c.columns << " of " << element_bytes
                                 << " B, gap " << c.gap << ", head " << c.head << (past_caches ? ", past caches" : "");
    }
}

TEST(Planes, every_kernel_transposes_any_shape) {
  for (const index_t bytes : {1, 3, 4, 8, 12, 16, 24, 32, 40, 64})
    for (const index_t rows : {1, 2, 7, 16, 33})
      for (const index_t columns : {1, 4, 15, 32, 37, 70})
        for (const index_t gap : {0, 3})
          for (const index_t head : {index_t{0}, index_t{16}, index_t{1}})
            check_plane({rows, columns, gap, head}, bytes);
}

/// Layers nearer to each other than rows and columns, as of axes in reverse order, and farther apart.
void check_layers(index_t rows, index_t columns, index_t layers, index_t element_bytes, bool are_near) {
  plane p{nullptr, nullptr, 0, 0, rows, columns};
  p.layers = layers;
  p.to_layer_step = (are_near ? columns + 1 : rows * (columns + 1)) * element_bytes;
  p.to_step = (are_near ? layers * (columns + 1) : columns + 1) * element_bytes;
  p.from_layer_step = (are_near ? rows + 1 : columns * (rows + 1)) * element_bytes;
  p.from_step = (are_near ? layers * (rows + 1) : rows + 1) * element_bytes;
  const auto source = noise(layers * columns * (rows + 1) * element_bytes);
  const auto before = noise(layers * rows * (columns + 1) * element_bytes);
  auto wanted = before;
  for (index_t l = 0; l < layers; ++l)
    for (index_t i = 0; i < rows; ++i)
      for (index_t j = 0; j < columns; ++j)
        std::memcpy(&wanted[as_size(l * p.to_layer_step + i * p.to_step + j * element_bytes)],
                    &source[as_size(l * p.from_layer_step + i * element_bytes + j * p.from_step)],
                    as_size(element_bytes));
  for (const named_kernel& k : kernels_for(element_bytes))
    for (const bool past_caches : {false, true}) {
      auto got = before;
      p.to = got.data(), p.from = source.data();
      k.copy(p, element_bytes, past_caches);
      near::finish_past_caches();
      EXPECT_TRUE(got == wanted) << k.name << ", " << layers << " of " << rows << " x " << columns << " of "
                                 << element_bytes << " B" << (past_caches ? ", past caches" : "");
    }
}

TEST(Planes, every_kernel_transposes_layers) {
  for (const index_t bytes : {1, 4, 8, 12, 16, 32})
    for (const index_t rows : {1, 3, 16, 33})
      for (const index_t columns : {1, 5, 32, 70})
        for (const index_t layers : {1, 2, 5})
          for (const bool are_near : {false, true}) check_layers(rows, columns, layers, bytes, are_near);
}

void check_runs(run_list r, index_t to_head, index_t from_head) {
  const auto source = noise(r.from_step * r.count + from_head);
  const auto before = noise(r.to_step * r.count + to_head + 64);
  auto wanted = before;
  for (index_t i = 0; i < r.count; ++i)
    std::memcpy(&wanted[as_size(to_head + i * r.to_step)], &source[as_size(from_head + i * r.from_step)],
                as_size(r.run_bytes));
  for (const run_kernel copy :
       {plain::find_past_caches(), avx2::find_past_caches(), avx512::find_past_caches(), run_kernel_past_caches()}) {
    if (copy == nullptr) continue;
    auto got = before;
    r.to = got.data() + to_head, r.from = source.data() + from_head;
    copy(r);
    near::finish_past_caches();
    EXPECT_TRUE(got == wanted) << r.count << " runs of " << r.run_bytes << " B, heads " << to_head << ", " << from_head;
  }
}

TEST(Runs, every_kernel_past_the_caches_copies_runs_of_any_length_and_place) {
  for (const index_t bytes : {1, 16, 63, 64, 65, 200, 1040, 4096, 4100, 9000})
    for (const index_t gap : {0, 1, 64, 100})
      for (const index_t to_head : {0, 1, 16, 63})
        for (const index_t from_head : {0, 8}) {
          check_runs({nullptr, bytes + gap, nullptr, bytes, 3, bytes}, to_head, from_head);
          check_runs({nullptr, bytes, nullptr, bytes + gap, 2, bytes}, to_head, from_head);
        }
}

/// A box of `extents` in memory of the given order with gaps at the ends of lines.
strided_box box_in(const std::vector<index_t>& extents, const std::vector<int>& order, index_t element_bytes,
                   index_t gap) {
  strided_box b{element_bytes * gap, element_bytes, extents, std::vector<index_t>(extents.size())};
  index_t step = element_bytes;
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    b.strides_bytes[as_size(*d)] = step;
    step *= extents[as_size(*d)] + gap;
  }
  return b;
}

index_t span_of(const strided_box& b) {
  index_t last = b.offset_bytes + b.element_bytes;
  for (std::size_t d = 0; d < b.extents.size(); ++d) last += (b.extents[d] - 1) * b.strides_bytes[d];
  return last;
}

/// Calls body(offset in a, offset in b) for each element, in the order of the extents.
template <class Body>
void for_elements(const strided_box& a, const strided_box& b, std::size_t d, index_t at_a, index_t at_b, Body& body) {
  if (d == a.extents.size()) return body(at_a, at_b);
  for (index_t i = 0; i < a.extents[d]; ++i)
    for_elements(a, b, d + 1, at_a + i * a.strides_bytes[d], at_b + i * b.strides_bytes[d], body);
}

struct random_boxes {
  strided_box to, from;
  explicit random_boxes(std::mt19937& random) {
    const std::size_t dimensions = 1 + random() % 4;
    std::vector<index_t> extents;
    std::vector<int> order(dimensions);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t d = 0; d < dimensions; ++d) extents.push_back(1 + static_cast<index_t>(random() % 9));
    const index_t sizes[] = {2, 4, 8, 16, 20, 32}, bytes = sizes[random() % 6];
    std::shuffle(order.begin(), order.end(), random);
    to = box_in(extents, order, bytes, static_cast<index_t>(random() % 2));
    std::shuffle(order.begin(), order.end(), random);
    from = box_in(extents, order, bytes, static_cast<index_t>(random() % 3));
  }
};

TEST(Planes, joint_walks_copy_between_any_orders) {
  std::mt19937 random(11);
  for (int round = 0; round < 600; ++round) {
    const random_boxes r(random);
    const auto source = noise(span_of(r.from)), before = noise(span_of(r.to));
    auto wanted = before, got = before;
    const auto move = [&](index_t to, index_t from) {
      std::memcpy(&wanted[as_size(to)], &source[as_size(from)], as_size(r.to.element_bytes));
    };
    for_elements(r.to, r.from, 0, r.to.offset_bytes, r.from.offset_bytes, move);
    const joint_walk whole = make_joint_walk(got.data(), r.to, source.data(), r.from);
    copy(whole, round % 2 == 0);
    ASSERT_TRUE(got == wanted) << "trial " << round;
    got = before;
    const index_t part_bytes = 1 + round;
    const auto parts = in_parts(whole, part_bytes);
    for (const joint_walk& part : parts) copy(part);
    ASSERT_TRUE(got == wanted) << "in parts, trial " << round;
    if (part_bytes == 1 && whole.loops > 2) {
      EXPECT_EQ(parts.size(), as_size(whole.counts[0]));
    }
  }
}

TEST(Planes, the_order_of_memory_has_the_same_bytes_in_rising_runs) {
  std::mt19937 random(13);
  for (int round = 0; round < 300; ++round) {
    const strided_box box = random_boxes(random).to;
    std::vector<std::byte> memory(as_size(span_of(box))), wanted = memory;
    const auto mark = [&](index_t at, index_t) { std::memset(&wanted[as_size(at)], 1, as_size(box.element_bytes)); };
    for_elements(box, box, 0, box.offset_bytes, box.offset_bytes, mark);
    const walk w = in_memory_order(make_walk(memory.data(), box));
    for (int i = 0; i + 1 < w.loops; ++i) EXPECT_GT(w.steps[as_size(i)], w.steps[as_size(i + 1)]);
    EXPECT_TRUE(w.loops == 0 || w.steps[as_size(w.loops - 1)] > w.run_bytes);
    const std::vector<std::byte> ones(as_size(w.bytes()), std::byte{1});
    unpack(ones.data(), w);
    ASSERT_TRUE(memory == wanted) << "trial " << round;
  }
}

TEST(Planes, packing_keeps_the_order_of_the_dimensions) {
  std::mt19937 random(12);
  for (int round = 0; round < 600; ++round) {
    const strided_box box = random_boxes(random).to;
    auto memory = noise(span_of(box));
    std::vector<std::byte> wanted, packed(as_size(box.elements() * box.element_bytes));
    const auto append = [&](index_t at, index_t) {
      wanted.insert(wanted.end(), memory.begin() + at, memory.begin() + at + box.element_bytes);
    };
    for_elements(box, box, 0, box.offset_bytes, box.offset_bytes, append);
    EXPECT_EQ(packed.data() + packed.size(), pack(make_walk(memory.data(), box), packed.data()));
    ASSERT_TRUE(packed == wanted) << "trial " << round;
    const auto original = memory;
    const auto clear = [&](index_t at, index_t) { std::memset(&memory[as_size(at)], 0, as_size(box.element_bytes)); };
    for_elements(box, box, 0, box.offset_bytes, box.offset_bytes, clear);
    EXPECT_EQ(packed.data() + packed.size(), unpack(packed.data(), make_walk(memory.data(), box)));
    ASSERT_TRUE(memory == original) << "trial " << round;
  }
}

}  // namespace
}  // namespace nearfar::exchange::test
