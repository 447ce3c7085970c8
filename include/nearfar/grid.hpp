// SPDX-License-Identifier: BSD-3-Clause
// A grid: a box of cells, cut into one tile per rank.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <nearfar/api.hpp>
#include <nearfar/team.hpp>
#include <string>
#include <vector>

namespace nearfar {

using index = std::int64_t;
inline constexpr int max_dimensions = 4;

/// A box of global cell indices: lower[d] <= i < upper[d], slowest dimension first.
struct NEARFAR_API box {
  int dimensions = 0;
  std::array<index, max_dimensions> lower{};
  std::array<index, max_dimensions> upper{};

  index extent(int d) const noexcept;
  index cells() const noexcept;  ///< 0 if any extent is not positive
  bool is_empty() const noexcept { return cells() == 0; }
  friend bool operator==(const box&, const box&) = default;
};

/// The cells that are in both; all bounds zero if there are none.
NEARFAR_API box intersection(const box& a, const box& b) noexcept;

/// A set of cells: a list of disjoint boxes.
using region = std::vector<box>;

/// Widths of a layer around a tile, per dimension and side, in cells.
class NEARFAR_API ghosts {
 public:
  ghosts(int width = 0) noexcept { low_.fill(width), high_.fill(width); }  // NOLINT: implicit by intent
  /// {{low, high}, …}, slowest dimension first; dimensions that are not named get 0.
  /// @throws usage_error  more than four entries
  ghosts(std::initializer_list<std::array<int, 2>> low_high);
  int low(int d) const noexcept { return low_[static_cast<std::size_t>(d)]; }
  int high(int d) const noexcept { return high_[static_cast<std::size_t>(d)]; }
  void set(int d, int low, int high) noexcept;
  friend bool operator==(const ghosts&, const ghosts&) = default;

 private:
  std::array<int, max_dimensions> low_{}, high_{};
};

enum class placement {
  rank_order,  ///< ranks numbered along the last cut dimension first, as MPI_Cart_create does
  node_tiles,  ///< ranks of a node form a compact block of tiles: fewer far faces (never more than in rank order)
};

struct grid_options {
  std::vector<bool> periodic{};     ///< per dimension; missing entries are false
  std::vector<int> process_grid{};  ///< tiles per dimension; 0 or missing: chosen by the library; 1: not cut
  std::vector<std::vector<index>> tile_extents{};  ///< optional: sizes of the tiles along each dimension (uneven cuts)
  placement ranks = placement::rank_order;
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
  ///         cyclic-mapped (see docs/spec/halo.md)
  grid(const team& members, std::vector<index> extents, grid_options options = {});

  /// A grid whose tiles are given by their ranks (irregular decompositions, several neighbours on a side).
  /// Tiles must cover the extents without overlap; empty tiles are allowed. Collective.
  /// @throws usage_error  on every rank: a tile outside the extents, two tiles that overlap, cells without a tile
  /// @cost   one all-gather; O(ranks) memory
  static grid from_tiles(const team& members, std::vector<index> extents, const box& own,
                         std::vector<bool> periodic = {});

  const team& members() const noexcept;
  int dimensions() const noexcept;
  const std::vector<index>& extents() const noexcept;
  const box& own() const noexcept;  ///< cells of this rank; all bounds zero if it owns none
  bool is_periodic(int dimension) const noexcept;
  const std::vector<int>& process_grid() const noexcept;  ///< tiles per dimension; empty for from_tiles
  std::string describe() const;  ///< tiles, process grid, placement and far faces; local, the same on all ranks
  grid_state& state() const noexcept { return *state_; }  ///< internal

 private:
  explicit grid(std::shared_ptr<grid_state> state) : state_(std::move(state)) {}
  std::shared_ptr<grid_state> state_;
};

}  // namespace nearfar
