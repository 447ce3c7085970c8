// SPDX-License-Identifier: BSD-3-Clause
// Transpositions of random shapes, whose elements say which element of the grid they are.
#pragma once

#include <algorithm>
#include <cstring>
#include <exchange/exchange.hpp>
#include <nearfar/transpose.hpp>
#include <numeric>
#include <random>

namespace nearfar::test {

/// What element `global` of `field` holds in `round`: the same bytes wherever it lies.
inline void stamp(std::byte* to, std::size_t bytes, index_t global, index_t field, int round) {
  std::uint64_t x = static_cast<std::uint64_t>(global + 1) * 0x9e3779b97f4a7c15ULL;
  x ^= static_cast<std::uint64_t>(field * 131 + round + 1) * 0xbf58476d1ce4e5b9ULL;
  for (std::size_t i = 0; i < bytes; ++i) {
    x ^= x >> 27, x *= 0x94d049bb133111ebULL;
    to[i] = static_cast<std::byte>(x >> 56);
  }
}

inline index_t global_index(const std::vector<index_t>& extents, const std::array<index_t, max_dimensions>& at) {
  index_t number = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) number = number * extents[d] + at[d];
  return number;
}

inline box whole_box(const std::vector<index_t>& extents) {
  box b{static_cast<int>(extents.size()), {}, {}};
  std::copy(extents.begin(), extents.end(), b.upper.begin());
  return b;
}

/// This rank's of slabs of uneven widths in falling order of the ranks.
inline box turned(const team& t, const std::vector<index_t>& extents, int axis) {
  box b = whole_box(extents);
  const auto a = static_cast<std::size_t>(axis);
  const index_t place = t.size() - 1 - t.rank(), n = extents[a], squares = index_t{t.size()} * t.size();
  b.lower[a] = n * place * place / squares;
  b.upper[a] = n * (place + 1) * (place + 1) / squares;
  return b;
}

/// Calls body(indices) for each element of the box.
template <class Body>
void for_elements(const box& b, Body body) {
  if (b.is_empty()) return;
  auto at = b.lower;
  for (;;) {
    body(at);
    int d = b.dimensions - 1;
    for (; d >= 0; --d) {
      const auto i = static_cast<std::size_t>(d);
      if (++at[i] < b.upper[i]) break;
      at[i] = b.lower[i];
    }
    if (d < 0) return;
  }
}

/// The bytes of all fields of a side on this rank. What is no element of the grid holds `filler`.
struct side_data {
  const transpose_side& side;
  index_t fields;
  std::size_t element_bytes;

  index_t field_elements() const { return shape_of(side).elements; }

  std::vector<std::byte> contents(index_t field, int round, std::byte filler) const {
    const array_shape shape = shape_of(side);
    std::vector<std::byte> all(static_cast<std::size_t>(shape.elements) * element_bytes, filler);
    for_elements(side.parts.own(), [&](const auto& at) {
      stamp(&all[static_cast<std::size_t>(shape.offset(at)) * element_bytes], element_bytes,
            global_index(side.parts.extents(), at), field, round);
    });
    return all;
  }
};

/// Arguments that all ranks draw alike.
struct random_case {
  std::mt19937 random;
  std::vector<index_t> extents;
  std::size_t element_bytes = 8;
  index_t fields = 1;

  explicit random_case(unsigned seed) : random(seed) {
    const std::size_t axes = 1 + draw(4);
    for (std::size_t d = 0; d < axes; ++d) extents.push_back(static_cast<index_t>(1 + draw(axes < 3 ? 40 : 11)));
    const std::size_t sizes[] = {1, 4, 8, 8, 12, 16, 16, 32, 40};
    element_bytes = sizes[draw(9)];
    fields = static_cast<index_t>(1 + draw(3));
  }

  std::size_t draw(std::size_t below) { return random() % below; }

  transpose_side side(const team& t) {
    const int axes = static_cast<int>(extents.size()), axis = static_cast<int>(draw(extents.size()));
    const std::size_t kind = draw(3);
    const auto order = (extents[0] + axis) % 2 == 0 ? rank_order::last_axis_first : rank_order::first_axis_first;
    transpose_side s{kind == 0 || axes == 1 ? decomposition::slab(t, extents, axis)
                     : kind == 1            ? decomposition::pencil(t, extents, axis, {}, order)
                                            : decomposition::from_boxes(t, extents, turned(t, extents, axis))};
    if (draw(3) > 0) {
      s.memory_order.resize(extents.size());
      std::iota(s.memory_order.begin(), s.memory_order.end(), 0);
      std::shuffle(s.memory_order.begin(), s.memory_order.end(), random);
    }
    if (draw(3) == 0)
      for (int d = 0; d < axes; ++d) {
        const int low = static_cast<int>(draw(3));
        s.padding.set(d, low, static_cast<int>(draw(3)));
      }
    return s;
  }
};

}  // namespace nearfar::test
