// SPDX-License-Identifier: BSD-3-Clause
// Copies a box out of an array of any strides into one whose last dimension is contiguous.
#pragma once

#include <array>
#include <base/numbers.hpp>
#include <cstddef>
#include <nearfar/box.hpp>

namespace nearfar::output {

/// A box of elements in memory; strides in bytes; the last of `to` is that of an element.
struct strided_box {
  int dimensions = 1;
  index element_bytes = 1;
  std::array<index, max_dimensions> extents{}, from_strides{}, to_strides{};
};

/// Dimensions that are contiguous on both sides become one.
strided_box merged(strided_box s);

/// Stores past the caches: what is copied is read next by a disk, or by another core.
void copy_box(const strided_box& shape, std::byte* to, const std::byte* from);

}  // namespace nearfar::output
