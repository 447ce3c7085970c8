// SPDX-License-Identifier: BSD-3-Clause
// A grid: a box of cells, cut into one tile per rank.
#pragma once

#include <memory>
#include <nearfar/api.hpp>
#include <nearfar/box.hpp>
#include <nearfar/team.hpp>
#include <string>
#include <vector>

namespace nearfar {

/// A set of cells: a list of disjoint boxes.
using region = std::vector<box>;

/// Which rank gets which tile.
enum class placement {
  rank_order,  ///< ranks numbered along the last cut dimension first, as MPI_Cart_create does
  node_tiles,  ///< ranks of a node form a compact block of tiles: fewer far faces (never more than in rank order)
};

/// How a grid is cut; the same on all ranks.
struct grid_options {
  std::vector<bool> periodic{};     ///< per dimension; missing entries are false
  std::vector<int> process_grid{};  ///< tiles per dimension; 0 or missing: chosen by the library; 1: not cut
  std::vector<std::vector<index_t>>
      tile_extents{};  ///< optional: sizes of the tiles along each dimension (uneven cuts)
  nearfar::placement placement = nearfar::placement::rank_order;  ///< which rank gets which tile
  bool allow_idle = false;  ///< allow more ranks than cells: some ranks then own none
};

struct grid_state;  // internal: halo/grid_state.hpp

/// The cells of a computation, each owned by one rank. Copies share one state.
class NEARFAR_API grid {
 public:
  /// Cuts `extents` (slowest dimension first, 1 to 4 of them) into tiles as equal as possible, or as tile_extents says.
  /// Collective over the team; all arguments must be the same on all ranks.
  /// @throws usage_error  on every rank: extents not positive or different across ranks, process grid that
  ///                      does not multiply to the ranks, more ranks than cells (unless allow_idle)
  /// @cost   a few reductions; memory does not grow with the ranks where nodes are equal and ranks block- or
  ///         cyclic-mapped (see docs/halo.md)
  grid(const nearfar::team& members, std::vector<index_t> extents, grid_options options = {});

  /// A grid whose tiles are given by their ranks (irregular decompositions, several neighbours on a side).
  /// Tiles must cover the extents without overlap; empty tiles are allowed. Collective.
  /// @throws usage_error  on every rank: a tile outside the extents, two tiles that overlap, cells without a tile
  /// @cost   one all-gather; O(ranks) memory
  static grid from_tiles(const nearfar::team& members, std::vector<index_t> extents, const box& own,
                         std::vector<bool> periodic = {});

  const nearfar::team& team() const noexcept;  ///< the team whose ranks own the tiles
  int dimensions() const noexcept { return static_cast<int>(extents().size()); }    ///< 1 to 4
  const std::vector<index_t>& extents() const noexcept { return cells_->extents; }  ///< slowest dimension first
  const box& own() const noexcept { return cells_->own; }  ///< cells of this rank; all bounds zero if it owns none
  /// Whether the last cell along this dimension is a neighbour of the first.
  bool is_periodic(int dimension) const noexcept;
  const std::vector<int>& process_grid() const noexcept;  ///< tiles per dimension; empty for from_tiles
  std::string describe() const;  ///< tiles, process grid, placement and far faces; local, the same on all ranks

 private:
  friend struct internals;
  explicit grid(std::shared_ptr<grid_state> state);
  std::shared_ptr<grid_state> state_;
  const owned_cells* cells_;  ///< in the state
};

}  // namespace nearfar
