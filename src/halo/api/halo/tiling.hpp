// SPDX-License-Identifier: BSD-3-Clause
// Tilings: which ranks own the cells of a box, computed without a list of all ranks where possible.
#pragma once

#include <nearfar/grid.hpp>
#include <span>
#include <variant>
#include <vector>

namespace nearfar {

/// The cells of one rank.
struct tile {
  int rank = 0;
  box cells;
};

/// The cuts of one dimension: even ones by formula, or given ones.
class axis {
 public:
  axis() = default;
  axis(index_t extent, int tiles) : extent_(extent), tiles_(tiles) {}
  explicit axis(std::span<const index_t> tile_extents);

  int tiles() const noexcept { return tiles_; }
  index_t extent() const noexcept { return extent_; }
  index_t start(int tile) const noexcept;  ///< first cell of the tile; extent() for tile == tiles()
  int find(index_t cell) const noexcept;   ///< the tile that holds the cell (never an empty one)
  index_t widest() const noexcept;         ///< cells of the widest tile

 private:
  index_t extent_ = 1;
  int tiles_ = 1;
  std::vector<index_t> starts_;  ///< tiles_ + 1 values; empty for even cuts
};

using coordinates = std::array<int, max_dimensions>;

/// Which rank a tile of a process grid goes to.
///
/// Tiles are numbered block by block (blocks in row-major order, row-major within a block); one block that is the whole
/// process grid gives plain row-major order. A rank follows from the number by formula or, in the general case, by
/// table.
struct tile_order {
  std::array<int, max_dimensions> block{1, 1, 1, 1};  ///< tiles per block and dimension; divides the process grid
  int cyclic_nodes =
      0;  ///< > 0: number n is near rank n % block size of node n / block size, ranks dealt round the nodes
  std::vector<int> ranks;  ///< not empty: number n belongs to ranks[n]
};

/// Tiles that are the product of cuts along each dimension.
class cartesian_tiling {
 public:
  cartesian_tiling(std::vector<axis> axes, tile_order order);

  int tiles() const noexcept;
  int rank_of(const coordinates& c) const noexcept;
  /// The rank's cells; empty for ranks that have no tile.
  box tile_of(int rank) const;
  std::vector<tile> tiles_in(const box& wanted) const;
  const std::vector<axis>& axes() const noexcept { return axes_; }
  const tile_order& order() const noexcept { return order_; }

 private:
  int dimensions() const noexcept { return static_cast<int>(axes_.size()); }
  coordinates coordinates_of(int number) const noexcept;
  box cells_at(const coordinates& c) const noexcept;
  std::vector<axis> axes_;
  tile_order order_;
  int block_size_ = 1;
};

/// Tiles as given by their ranks; empty boxes for ranks without cells.
struct given_tiling {
  std::vector<box> boxes;
  std::vector<tile> tiles_in(const box& wanted) const;
};

using tiling = std::variant<cartesian_tiling, given_tiling>;

/// The tiles that have cells in `wanted`, each with all of its cells. `wanted` must lie inside the grid.
std::vector<tile> tiles_in(const tiling& tiles, const box& wanted);

}  // namespace nearfar
