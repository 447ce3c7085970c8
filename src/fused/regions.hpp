// SPDX-License-Identifier: BSD-3-Clause
// Cuts a rank's lines into regions whose elements come from the same ranks in the same order.
#pragma once

#include <nearfar/box.hpp>
#include <vector>

namespace nearfar::fused {

/// Elements [begin, end) along the lines, counted from the start of the line, are in box number `part`.
struct line_part {
  std::size_t part = 0;
  index_t begin = 0, end = 0;
};

struct region {
  box lines;  ///< global indices; along the axis of the lines all of them
  std::vector<line_part> parts;
};

/// `parts` cover `own` once. Regions follow each other as `order` lists the axes, the last one fastest.
std::vector<region> regions_of(const box& own, const std::vector<box>& parts, int axis, const std::vector<int>& order);

}  // namespace nearfar::fused
