// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on boxes of cells, and the dimensions and sides of a grid as loop ranges.
#pragma once

#include <nearfar/grid.hpp>

namespace nearfar {

inline std::size_t at(int d) noexcept { return static_cast<std::size_t>(d); }

enum class side { low, high };
inline constexpr std::array<side, 2> both_sides{side::low, side::high};

/// How many periods a copy of the grid is displaced, per dimension: -1, 0 or 1.
using image = std::array<int, max_dimensions>;

box box_of(const std::vector<index_t>& extents);
box shifted(const box& b, const std::array<index_t, max_dimensions>& by) noexcept;
/// The same widths with low and high exchanged.
ghosts mirrored(const ghosts& widths) noexcept;
/// The `width` layers outside one face of `b`, without edges and corners.
box slab_outside(const box& b, int d, side s, index_t width) noexcept;
/// `whole` without `hole` (which lies inside it), as disjoint boxes.
region without(const box& whole, const box& hole);

}  // namespace nearfar
