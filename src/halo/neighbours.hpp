// SPDX-License-Identifier: BSD-3-Clause
// The tiles around a tile, through periodic boundaries where there are any.
#pragma once

#include <functional>
#include <halo/grid_state.hpp>

#include "boxes.hpp"

namespace nearfar {

/// By how many cells a copy of the grid is displaced.
std::array<index_t, max_dimensions> displacement(const grid_state& g, const image& copy) noexcept;

/// Calls `visit` with every copy of the grid that a tile may look into: 0 in dimensions that are not periodic.
void for_each_image(const grid_state& g, const std::function<void(const image&)>& visit);

/// The tiles that touch one face of `from` (its cells seen from the grid, not from their image); none at the end of a
/// dimension that is not periodic. `from` itself where its dimension is not cut.
std::vector<tile> tiles_at_face(const grid_state& g, const box& from, int d, side s);

/// The cells of `t` that touch that face of `from`.
index_t cells_at_face(const box& from, const tile& t, int d) noexcept;

}  // namespace nearfar
