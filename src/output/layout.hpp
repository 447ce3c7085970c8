// SPDX-License-Identifier: BSD-3-Clause
// Where the parts of a group of ranks are in a frame of its ring and in the files.
#pragma once

#include <base/numbers.hpp>
#include <nearfar/box.hpp>
#include <nearfar/output.hpp>
#include <string>
#include <vector>

namespace nearfar::output {

inline constexpr index_t page_bytes = 4096;
inline constexpr index_t array_alignment = 64;  ///< of arrays in memory, wherever their files have them

/// An array as its file has it.
struct array_shape {
  std::vector<index_t> extents;
  index_t element_bytes = 4;
  bool is_varying = false;   ///< extents[0] is the most that there may be
  bool is_constant = false;  ///< part of the first step only
  index_t frame_bytes() const noexcept;
};

array_shape shape_of(const output_array& a);

/// A box of an array that lies in one piece, C order, in the frame's memory.
struct brick {
  int array = 0;
  box where;
  index_t base = 0;  ///< page-aligned place in the frame; the data begins up to a page later, see writer_plan::shift()
};

/// What a group's frame holds.
struct frame_layout {
  std::vector<array_shape> arrays;
  std::vector<brick> bricks;
  index_t frame_bytes = 0;  ///< memory of a frame, whole pages
  index_t table_bytes = 0;  ///< at its beginning, for what differs from step to step (step_layout.hpp); whole pages

  index_t bytes_of(const brick& b) const noexcept;
  /// Bytes of data in a step behind the first.
  index_t data_bytes() const noexcept;
  /// Whether a brick's data belong to the step.
  bool has(const brick& b, index_t step) const noexcept { return step == 0 || !arrays[as_size(b.array)].is_constant; }
};

/// Boxes per array and member → bricks: one for all members where their boxes together are a box, so that the file is
/// written in long pieces; of varying arrays one per member, behind room for the table.
frame_layout make_layout(std::vector<array_shape> arrays, const std::vector<std::vector<box>>& boxes_of_members,
                         index_t table_bytes = 0);

index_t round_to_pages(index_t bytes) noexcept;

/// Elements from one array's start to the first of a box, C order.
index_t offset_in(const box& whole, const box& part) noexcept;

/// Calls run(offset in the array, offset in the box, elements) for the pieces of a box that are contiguous in its
/// array, in order.
template <class Run>
void for_each_run(const array_shape& array, const box& part, Run run);

/// Dimensions from `cut` on are contiguous in the array.
int first_cut(const array_shape& array, const box& part) noexcept;

/// Checks that the boxes cover the array once. @throws usage_error that names an element or a rank
void require_cover(const std::string& what, const array_shape& array, const std::vector<box>& boxes);

box whole_of(const array_shape& array) noexcept;

template <class Run>
void for_each_run(const array_shape& array, const box& part, Run run) {
  if (part.is_empty()) return;
  const int dims = part.dimensions, cut = first_cut(array, part);
  index_t length = 1, runs = 1;
  for (int d = 0; d < dims; ++d) (d < cut ? runs : length) *= part.extent(d);
  const box whole = whole_of(array);
  box at = part;
  for (index_t r = 0; r < runs; ++r) {
    run(offset_in(whole, at), r * length, length);
    for (int d = cut - 1; d >= 0; --d) {
      const auto i = static_cast<std::size_t>(d);
      if (++at.lower[i] < part.upper[i]) break;
      at.lower[i] = part.lower[i];
    }
  }
}

}  // namespace nearfar::output
