// SPDX-License-Identifier: BSD-3-Clause
// All process grids of a number of ranks, and the bytes that a grid's transpositions send.
#pragma once

#include <nearfar/process_grid.hpp>
#include <string>
#include <vector>

namespace nearfar {

/// All ways to cut `axes` axes into `ranks` parts, the one "as square as possible" first; in both orders of ranks where
/// that makes a difference: where there are several nodes and more than one axis is cut.
std::vector<process_grid> grid_candidates(int ranks, std::size_t axes, bool has_several_nodes);

std::string name_of(const process_grid& g);  ///< "4 x 2", "4 x 2 first axis first"

/// What the busiest rank sends, all moves there and back together.
struct grid_load {
  index_t far_bytes = 0, near_bytes = 0, own_bytes = 0, far_messages = 0;

  /// By speeds that are nowhere right, but in the order of what machines have.
  double seconds() const noexcept;
};

/// Of moves from each side to the next and back. Collective: the greatest seconds of any rank count.
grid_load busiest_load(const team& members, const std::vector<transpose_side>& sides, index_t cell_bytes);

}  // namespace nearfar
