// SPDX-License-Identifier: BSD-3-Clause
// The number of tiles along each dimension, and which of them a node gets, by arithmetic alone.
#pragma once

#include <halo/tiling.hpp>
#include <nearfar/grid.hpp>
#include <vector>

namespace nearfar {

/// What is known when the tiles per dimension are chosen.
struct cut_request {
  std::vector<index_t> extents;
  std::vector<bool> periodic;  ///< one per dimension
  std::vector<int> fixed;      ///< one per dimension; 0: free
  std::vector<bool> is_given;  ///< the cuts of this dimension are given, empty tiles and all
  int ranks = 1;
  bool allow_idle = false;
};

/// The process grid with the least work for its busiest rank: cells of the largest tile and one layer of ghost cells
/// that others fill; those that are copied inside the rank (periodic dimension that is not cut) count a quarter. Equal
/// costs: the slower dimension is cut more. With allow_idle as many ranks are used as can be.
/// @throws usage_error  nothing fits; the message names the nearest number of ranks that does
std::vector<int> choose_process_grid(const cut_request& request);

/// Tiles per node and dimension: divisors of the process grid whose product is `node_size` (which divides the number of
/// tiles), with the fewest far face cells for tiles of `tile_extents` cells.
std::array<int, max_dimensions> choose_node_block(const std::vector<int>& process_grid,
                                                  const std::vector<index_t>& tile_extents,
                                                  const std::vector<bool>& periodic, int node_size);

/// The row-major numbers of all tiles in an order in which consecutive tiles lie close together: the process grid is
/// halved along its longest side (in cells) again and again.
std::vector<int> compact_order(const std::vector<int>& process_grid, const std::vector<index_t>& tile_extents);

}  // namespace nearfar
