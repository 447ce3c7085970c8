// SPDX-License-Identifier: BSD-3-Clause
// Rows as long as both arrays allow, one after the other; elements one by one if one array has gaps between them.
#include "box_copy.hpp"

#include <cstring>

namespace nearfar::output {

namespace {

constexpr index_t least_bytes_past_caches = 1024;

bool has_rows(const strided_box& s) {
  const auto last = static_cast<std::size_t>(s.dimensions - 1);
  return s.from_strides[last] == s.element_bytes && s.to_strides[last] == s.element_bytes;
}

}  // namespace

strided_box merged(strided_box s) {
  while (s.dimensions > 1) {
    const auto last = static_cast<std::size_t>(s.dimensions - 1), before = last - 1;
    const index_t row = s.extents[last] * s.element_bytes;
    if (!has_rows(s) || s.from_strides[before] != row || s.to_strides[before] != row) break;
    s.extents[before] *= s.extents[last];
    s.from_strides[before] = s.to_strides[before] = s.element_bytes;
    --s.dimensions;
  }
  return s;
}

namespace {

void copy_row(near::stores how, std::byte* to, const std::byte* from, index_t bytes) {
  near::copy(bytes < least_bytes_past_caches ? near::stores::ordinary : how, to, from, bytes);
}

/// Strides of both.
void copy_elements(std::byte* to, index_t to_stride, const std::byte* from, index_t from_stride, index_t count,
                   index_t element_bytes) {
  for (index_t e = 0; e < count; ++e)
    std::memcpy(to + e * to_stride, from + e * from_stride, static_cast<std::size_t>(element_bytes));
}

/// The extent, or stride, of dimension 0 … 3 of a box that has four when leading ones are added.
index_t of_four(const std::array<index_t, max_dimensions>& list, int dimensions, std::size_t d, index_t if_none) {
  const std::size_t added = max_dimensions - static_cast<std::size_t>(dimensions);
  return d < added ? if_none : list[d - added];
}

void copy_rows(const strided_box& s, near::stores how, std::byte* to, const std::byte* from) {
  const auto extent = [&](std::size_t d) { return of_four(s.extents, s.dimensions, d, 1); };
  const auto in = [&](std::size_t d) { return of_four(s.from_strides, s.dimensions, d, 0); };
  const auto out = [&](std::size_t d) { return of_four(s.to_strides, s.dimensions, d, 0); };
  const auto copy_line = [&](std::byte* line, const std::byte* source) {
    if (in(3) == s.element_bytes && out(3) == s.element_bytes)
      copy_row(how, line, source, extent(3) * s.element_bytes);
    else
      copy_elements(line, out(3), source, in(3), extent(3), s.element_bytes);
  };
  for (index_t i = 0; i < extent(0); ++i)
    for (index_t j = 0; j < extent(1); ++j)
      for (index_t k = 0; k < extent(2); ++k)
        copy_line(to + i * out(0) + j * out(1) + k * out(2), from + i * in(0) + j * in(1) + k * in(2));
}

}  // namespace

void copy_box(const strided_box& shape, std::byte* to, const std::byte* from, near::stores how) {
  copy_rows(merged(shape), how, to, from);
  near::finish(how);
}

std::array<index_t, max_dimensions> packed_strides(const std::array<index_t, max_dimensions>& extents, int dimensions,
                                                   index_t element_bytes) noexcept {
  std::array<index_t, max_dimensions> strides{};
  index_t stride = element_bytes;
  for (int d = dimensions - 1; d >= 0; --d) {
    strides[static_cast<std::size_t>(d)] = stride;
    stride *= extents[static_cast<std::size_t>(d)];
  }
  return strides;
}

std::array<index_t, max_dimensions> extents_of(const box& b) noexcept {
  std::array<index_t, max_dimensions> extents{};
  for (int d = 0; d < b.dimensions; ++d) extents[static_cast<std::size_t>(d)] = b.extent(d);
  return extents;
}

}  // namespace nearfar::output
