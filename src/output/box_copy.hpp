// SPDX-License-Identifier: BSD-3-Clause
// Copies a box out of an array of any strides into another.
#pragma once

#include <array>
#include <base/numbers.hpp>
#include <cstddef>
#include <near/past_caches.hpp>
#include <nearfar/box.hpp>

namespace nearfar::output {

/// A box of elements in memory; strides in bytes.
struct strided_box {
  int dimensions = 1;
  index_t element_bytes = 1;
  std::array<index_t, max_dimensions> extents{}, from_strides{}, to_strides{};
};

/// Dimensions that are contiguous on both sides become one.
strided_box merged(strided_box s);

/// Stores past the caches unless told otherwise: what is copied is read next by a disk, or by another core.
void copy_box(const strided_box& shape, std::byte* to, const std::byte* from,
              near::stores how = near::stores::past_caches);

/// Distances between neighbours in an array of these extents in C order.
std::array<index_t, max_dimensions> packed_strides(const std::array<index_t, max_dimensions>& extents, int dimensions,
                                                   index_t element_bytes) noexcept;
/// The extents of a box, zeros behind.
std::array<index_t, max_dimensions> extents_of(const box& b) noexcept;

}  // namespace nearfar::output
