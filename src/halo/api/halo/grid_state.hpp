// SPDX-License-Identifier: BSD-3-Clause
// The state of a grid: its extents, the tiles of all ranks, and how many of their faces are far.
#pragma once

#include <halo/tiling.hpp>
#include <nearfar/grid.hpp>

namespace nearfar {

/// Faces between tiles of different ranks, each seen from both sides, summed over all ranks.
struct face_count {
  index_t faces = 0, far_faces = 0;
  index_t cells = 0, far_cells = 0;
};

struct grid_state : owned_cells {
  team members;
  tiling tiles;
  index_t serial = 0;  ///< number of this grid in its team: the same on every rank for the same grid
  std::array<bool, max_dimensions> periodic{};
  std::vector<int> process_grid{};  ///< empty for given tiles
  int ranks_with_cells = 0;
  placement asked = placement::rank_order;
  bool has_node_tiles = false;  ///< false too where node tiles would have had more far face cells
  face_count faces{};           ///< as placed
  face_count in_rank_order{};   ///< as MPI_Cart_create would place the ranks

  int dimensions() const noexcept { return static_cast<int>(extents.size()); }
  box all() const;  ///< all cells of the grid
};

}  // namespace nearfar
