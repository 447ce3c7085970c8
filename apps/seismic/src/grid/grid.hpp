// SPDX-License-Identifier: BSD-3-Clause
// The grid that all fields and models live on: points at equal distances along z (depth, downwards), y and x.
#pragma once

#include <array>
#include <nearfar/box.hpp>

namespace seismic {

using nearfar::index_t;

/// Dimensions are numbered and listed as arrays are stored, slowest first: 0 is z (depth, positive downwards), 1 is y,
/// 2 is x, which is contiguous in memory. A grid of two dimensions has one point along y.
enum dimension : int { z = 0, y = 1, x = 2 };

/// Points at origin + index * spacing, metres.
struct grid {
  std::array<index_t, 3> points{};
  std::array<double, 3> spacing_m{};
  std::array<double, 3> origin_m{};

  index_t size() const noexcept { return points[0] * points[1] * points[2]; }
  bool is_flat() const noexcept { return points[y] == 1; }
  nearfar::box whole() const noexcept { return {3, {}, {points[0], points[1], points[2]}}; }
  friend bool operator==(const grid&, const grid&) = default;
};

}  // namespace seismic
