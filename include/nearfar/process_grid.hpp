// SPDX-License-Identifier: BSD-3-Clause
// The process grid that a program's transpositions between pencils are fastest with.
#pragma once

#include <nearfar/transpose.hpp>
#include <string>
#include <vector>

namespace nearfar {

/// What decomposition::pencil takes: parts along the axes that are not whole, in their order, and how ranks are
/// numbered.
struct process_grid {
  std::vector<int> parts;  ///< two numbers for pencils of three axes; their product is the number of ranks
  rank_order order = rank_order::last_axis_first;  ///< which of these axes neighbouring ranks follow
  friend bool operator==(const process_grid&, const process_grid&) = default;
};

/// What the grid is chosen for; the same on all ranks.
struct process_grid_options {
  std::size_t element_bytes = 16;  ///< of one element: 16 for complex numbers of doubles
  index_t fields = 1;              ///< that move together
  /// The axis that is whole in each pencil, in the order in which the program moves from pencil to pencil (and back
  /// again). Empty: from the last axis to the first.
  std::vector<int> whole_axes{};
  bool is_permuted = true;  ///< the whole axis is contiguous in each pencil; else all lie in the order 0, 1, 2 …
  double budget_s = 0;      ///< as in plan_options: for the race of grids, and for each of their plans
  int most_timed = 4;  ///< grids that are timed: those that the bytes between nodes and on nodes speak for. 1 or more
};

/// What was chosen, and why.
struct tuned_process_grid {
  process_grid grid;   ///< for decomposition::pencil, on every rank
  double seconds = 0;  ///< of all transpositions there and back; 0 where there is no choice
  std::string report;  ///< a line per grid: bytes that the busiest rank sends to far and to near ranks, and the time if
                       ///< it was measured
};

/// Chooses among all process grids of the team's ranks and both orders of ranks. The model counts what the busiest rank
/// sends to far ranks and to near ones, in bytes and messages; the best `most_timed` by it, and the one "as square as
/// possible", make the program's very transpositions there and back between arrays in near memory. The square one stays
/// unless another is faster by 3 %. The choice is kept as wisdom. Collective over the team, the same arguments on all
/// ranks.
/// @throws usage_error on every rank: extents that no decomposition has or fewer than two axes, axes that do not exist,
///         elements of 0 bytes, fewer than 1 field or grid, other arguments on other ranks
/// @throws resource_error on every rank: memory for two arrays that does not suffice
/// @cost plans for `most_timed` grids
NEARFAR_API tuned_process_grid tune_process_grid(const team& members, const std::vector<index_t>& extents,
                                                 const process_grid_options& options = {});

}  // namespace nearfar
