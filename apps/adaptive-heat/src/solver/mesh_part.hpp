// SPDX-License-Identifier: BSD-3-Clause
// A rank's part of a mesh, as the solver needs it.
#pragma once

#include <cstdint>
#include <mesh/forest.hpp>
#include <mesh/octant.hpp>
#include <mortar/leaf_shape.hpp>
#include <nearfar/team.hpp>
#include <span>
#include <vector>

namespace adaptive_heat {

struct mesh_part {
  std::vector<octant> leaves;      ///< of this rank, sorted
  std::vector<leaf_shape> shapes;  ///< of those
  std::vector<std::uint64_t>
      first_key;                ///< per rank the first cell that is its own, and the end: ranks + 1 of them, ascending
  std::int64_t all_leaves = 0;  ///< of all ranks
  std::vector<int> partners;    ///< ranks that have leaves which touch leaves of this one, or more, ascending; mutual
};

/// What a forest, which has been adapted, has for this rank. Collective.
mesh_part part_of(forest& from);

}  // namespace adaptive_heat
