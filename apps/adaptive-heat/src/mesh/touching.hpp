// SPDX-License-Identifier: BSD-3-Clause
// Which ranks own cells that touch an octant.
#pragma once

#include <mesh/partition.hpp>
#include <vector>

namespace adaptive_heat {

/// Finds the ranks around octants of one rank. Knows the partition only, no leaves.
class touching_ranks {
 public:
  touching_ranks(const partition& parts, int rank)
      : parts_(parts), rank_(rank), begin_(parts.begin(rank)), end_(parts.end(rank)) {}

  /// Whether the octant and all its neighbours of the same level, over corners too, are this rank's.
  bool is_inside(const octant& o) const noexcept;

  /// Adds to `ranks` the other ranks that own a cell which shares at least a point with the closed box of `o`. Some may come twice.
  /// @cost  26 searches in the splitters, more where a splitter lies in a neighbour
  void find(const octant& o, std::vector<int>& ranks) const;

 private:
  void find_in(const octant& neighbour, direction from, std::vector<int>& ranks) const;
  int owner(std::uint64_t cell) const noexcept { return cell >= begin_ && cell < end_ ? rank_ : parts_.owner(cell); }

  const partition& parts_;
  int rank_;
  std::uint64_t begin_, end_;
};

}  // namespace adaptive_heat
