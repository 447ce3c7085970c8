// SPDX-License-Identifier: BSD-3-Clause
// Rows as long as both arrays allow, one after the other.
#include "box_copy.hpp"

#include <cstring>
#include <near/past_caches.hpp>

namespace nearfar::output {

namespace {

constexpr index least_bytes_past_caches = 1024;

/// Dimensions that are contiguous on both sides become one.
strided_box merged(strided_box s) {
  while (s.dimensions > 1) {
    const auto last = static_cast<std::size_t>(s.dimensions - 1), before = last - 1;
    const index row = s.extents[last] * s.element_bytes;
    if (s.from_strides[before] != row || s.to_strides[before] != row) break;
    s.extents[before] *= s.extents[last];
    s.from_strides[before] = s.to_strides[before] = s.element_bytes;
    --s.dimensions;
  }
  return s;
}

void copy_row(std::byte* to, const std::byte* from, index bytes) {
  near::copy(bytes < least_bytes_past_caches ? near::stores::ordinary : near::stores::past_caches, to, from, bytes);
}

/// The extent, or stride, of dimension 0 … 3 of a box that has four when leading ones are added.
index of_four(const std::array<index, max_dimensions>& list, int dimensions, std::size_t d, index if_none) {
  const std::size_t added = max_dimensions - static_cast<std::size_t>(dimensions);
  return d < added ? if_none : list[d - added];
}

void copy_rows(const strided_box& s, std::byte* to, const std::byte* from) {
  const auto extent = [&](std::size_t d) { return of_four(s.extents, s.dimensions, d, 1); };
  const auto in = [&](std::size_t d) { return of_four(s.from_strides, s.dimensions, d, 0); };
  const auto out = [&](std::size_t d) { return of_four(s.to_strides, s.dimensions, d, 0); };
  const index bytes = extent(3) * s.element_bytes;
  for (index i = 0; i < extent(0); ++i)
    for (index j = 0; j < extent(1); ++j)
      for (index k = 0; k < extent(2); ++k)
        copy_row(to + i * out(0) + j * out(1) + k * out(2), from + i * in(0) + j * in(1) + k * in(2), bytes);
}

}  // namespace

void copy_box(const strided_box& shape, std::byte* to, const std::byte* from) {
  copy_rows(merged(shape), to, from);
  near::finish_past_caches();
}

}  // namespace nearfar::output
