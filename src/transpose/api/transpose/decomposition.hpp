// SPDX-License-Identifier: BSD-3-Clause
// The state of a decomposition: blocks by arithmetic, or the boxes of all ranks.
#pragma once

#include <base/numbers.hpp>
#include <nearfar/transpose.hpp>
#include <string>
#include <topology/agree.hpp>
#include <vector>

namespace nearfar {

inline std::size_t at(int d) noexcept { return static_cast<std::size_t>(d); }

/// A rank's part of some box.
struct share_of_box {
  int rank = 0;
  box part;
};

struct decomposition_state : owned_cells {
  team members;
  std::vector<int> process_grid;  ///< empty: `boxes` says
  std::vector<box> boxes;
  rank_order order = rank_order::last_axis_first;

  box of(int rank) const;
  /// The parts of `wanted` by ascending rank of their owners.
  std::vector<share_of_box> parts_of(const box& wanted) const;
  /// The axis along which ranks differ by the product of the parts along `faster` others.
  std::size_t axis_of(std::size_t faster) const noexcept {
    return order == rank_order::first_axis_first ? faster : extents.size() - 1 - faster;
  }
};

/// `ranks` parts along so many axes, falling: the least first factor, then the least second one, and so on. Local.
std::vector<int> square_grid(int ranks, std::size_t axes);

/// Appends what is the same on all ranks if `what`, their decomposition, cuts alike.
void add_shared_values(const std::string& what, const decomposition& parts, std::vector<shared_values>& to);

/// Throws usage_error, naming an element and ranks, unless each element of the grid is in exactly one box.
void check_cover(const std::vector<index_t>& extents, const std::vector<box>& boxes);

}  // namespace nearfar
