// SPDX-License-Identifier: BSD-3-Clause
// Which ranks own cells that touch an octant.
#pragma once

#include <array>
#include <mesh/partition.hpp>
#include <vector>

namespace adaptive_heat {

/// Finds the ranks around octants of one rank. Knows the partition only, no leaves. Best asked for siblings one after
/// the other: what lies around their parent is looked up once.
class touching_ranks {
 public:
  touching_ranks(const partition& parts, int rank)
      : parts_(parts), rank_(rank), begin_(parts.begin(rank)), end_(parts.end(rank)) {}

  /// Adds to `ranks` the other ranks that own a cell which shares at least a point with the closed box of `o`. Some may
  /// come twice.
  /// @cost  two keys per octet of siblings inside of the rank's piece; at its border up to 26 searches in the splitters
  /// per octet,
  ///        and more where a splitter lies in a neighbour
  void find(const octant& o, std::vector<int>& ranks);

 private:
  static constexpr int nobody = -1, several = -2;

  bool is_inside(const octant& o) const noexcept;
  void look_around(const octant& parent);
  int only_owner(const octant& o) const noexcept;
  void find_in(const octant& neighbour, direction from, std::vector<int>& ranks) const;
  int owner(std::uint64_t cell) const noexcept { return cell >= begin_ && cell < end_ ? rank_ : parts_.owner(cell); }

  const partition& parts_;
  int rank_;
  std::uint64_t begin_, end_;
  octant parent_{cube_side, 0, 0, 0};  ///< the one that was looked around last; this is none
  bool is_all_mine_ = false;           ///< the 27 cubes at that parent are this rank's
  std::array<int, 27> owners_{};       ///< of these cubes, by (x + 1) + 3 (y + 1) + 9 (z + 1)
};

}  // namespace adaptive_heat
