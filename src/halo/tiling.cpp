// SPDX-License-Identifier: BSD-3-Clause
// Cuts, tile numbers and the search for the owners of a box of cells.
#include <halo/tiling.hpp>

#include <algorithm>
#include <base/even_blocks.hpp>

#include "boxes.hpp"

namespace nearfar {

axis::axis(std::span<const index_t> tile_extents) : tiles_(static_cast<int>(tile_extents.size())), starts_{0} {
  for (const index_t width : tile_extents) starts_.push_back(starts_.back() + width);
  extent_ = starts_.back();
}

index_t axis::start(int tile) const noexcept {
  if (!starts_.empty()) return starts_[at(tile)];
  return even_blocks{extent_, tiles_}.first(tile);
}

int axis::find(index_t cell) const noexcept {
  if (!starts_.empty())
    return static_cast<int>(std::upper_bound(starts_.begin(), starts_.end(), cell) - starts_.begin()) - 1;
  return even_blocks{extent_, tiles_}.owner(cell);
}

index_t axis::widest() const noexcept {
  if (starts_.empty()) return even_blocks{extent_, tiles_}.size(0);
  index_t most = 0;
  for (int t = 0; t < tiles_; ++t) most = std::max(most, start(t + 1) - start(t));
  return most;
}

cartesian_tiling::cartesian_tiling(std::vector<axis> axes, tile_order order)
    : axes_(std::move(axes)), order_(std::move(order)) {
  for (int d = 0; d < dimensions(); ++d) block_size_ *= order_.block[at(d)];
}

int cartesian_tiling::tiles() const noexcept {
  int product = 1;
  for (const axis& a : axes_) product *= a.tiles();
  return product;
}

int cartesian_tiling::rank_of(const coordinates& c) const noexcept {
  int block = 0, inside = 0;
  for (int d = 0; d < dimensions(); ++d) {
    const int width = order_.block[at(d)];
    block = block * (axes_[at(d)].tiles() / width) + c[at(d)] / width;
    inside = inside * width + c[at(d)] % width;
  }
  if (order_.cyclic_nodes > 0) return inside * order_.cyclic_nodes + block;
  const int number = block * block_size_ + inside;
  return order_.ranks.empty() ? number : order_.ranks[at(number)];
}

coordinates cartesian_tiling::coordinates_of(int number) const noexcept {
  coordinates c{};
  int block = number / block_size_, inside = number % block_size_;
  for (int d = dimensions() - 1; d >= 0; --d) {
    const int width = order_.block[at(d)], blocks = axes_[at(d)].tiles() / width;
    c[at(d)] = block % blocks * width + inside % width;
    block /= blocks, inside /= width;
  }
  return c;
}

box cartesian_tiling::cells_at(const coordinates& c) const noexcept {
  box cells{dimensions(), {}, {}};
  for (int d = 0; d < dimensions(); ++d) {
    cells.lower[at(d)] = axes_[at(d)].start(c[at(d)]);
    cells.upper[at(d)] = axes_[at(d)].start(c[at(d)] + 1);
  }
  return cells;
}

box cartesian_tiling::tile_of(int rank) const {
  const box nothing{dimensions(), {}, {}};
  int number = rank;
  if (order_.cyclic_nodes > 0) {
    number = rank % order_.cyclic_nodes * block_size_ + rank / order_.cyclic_nodes;
  } else if (!order_.ranks.empty()) {
    number = static_cast<int>(std::find(order_.ranks.begin(), order_.ranks.end(), rank) - order_.ranks.begin());
  }
  if (number >= tiles()) return nothing;
  const box cells = cells_at(coordinates_of(number));
  return cells.is_empty() ? nothing : cells;
}

std::vector<tile> cartesian_tiling::tiles_in(const box& wanted) const {
  if (wanted.is_empty()) return {};
  coordinates first{}, last{};
  for (int d = 0; d < dimensions(); ++d) {
    first[at(d)] = axes_[at(d)].find(wanted.lower[at(d)]);
    last[at(d)] = axes_[at(d)].find(wanted.upper[at(d)] - 1);
  }
  std::vector<tile> found;
  for (coordinates c = first;;) {
    const tile t{rank_of(c), cells_at(c)};
    if (!t.cells.is_empty()) found.push_back(t);
    int d = dimensions() - 1;
    while (d >= 0 && c[at(d)] == last[at(d)]) c[at(d)] = first[at(d)], --d;
    if (d < 0) return found;
    ++c[at(d)];
  }
}

std::vector<tile> given_tiling::tiles_in(const box& wanted) const {
  std::vector<tile> found;
  for (std::size_t r = 0; r < boxes.size(); ++r)
    if (!intersection(boxes[r], wanted).is_empty()) found.push_back({static_cast<int>(r), boxes[r]});
  return found;
}

std::vector<tile> tiles_in(const tiling& tiles, const box& wanted) {
  return std::visit([&](const auto& t) { return t.tiles_in(wanted); }, tiles);
}

}  // namespace nearfar
