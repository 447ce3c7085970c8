// SPDX-License-Identifier: BSD-3-Clause
// Which rank gets which tile, and the resulting number of far faces.
#pragma once

#include <halo/grid_state.hpp>

namespace nearfar {

/// Which node a rank is on: by formula where the mapping allows it, else by a table that is gathered once.
class node_finder {
 public:
  explicit node_finder(const team& members);  ///< collective
  int node_of(int rank) const noexcept;

 private:
  const team_state* team_;
  std::vector<int> nodes_;  ///< of every rank; empty where a formula does
};

/// Sums up the faces of all tiles. Collective.
face_count count_faces(const grid_state& g, const node_finder& nodes);

/// The order of tiles that gives each node a compact block of them. Collective.
tile_order node_tile_order(const team& members, const std::vector<axis>& axes, const std::vector<bool>& periodic,
                           const node_finder& nodes);

}  // namespace nearfar
