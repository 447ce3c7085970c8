// SPDX-License-Identifier: BSD-3-Clause
// An adaptation: the mesh follows the balls, and the values follow the mesh.
#pragma once

#include <mesh/forest.hpp>
#include <solver/heat_solver.hpp>
#include <solver/value_transfer.hpp>
#include <string_view>

namespace adaptive_heat {

enum class mesh_source {
  forest,       ///< ranks refine and coarsen their leaves, and agree with those around them
  closed_form,  ///< each rank works out the whole mesh for itself: adaptation as replicated programs have it
};
/// @throws nearfar::usage_error for another name
mesh_source mesh_source_named(std::string_view name);

struct adaptation_request {
  hot_region around;
  mesh_source source = mesh_source::forest;
  double imbalance_allowed = 0;  ///< see forest::rebalance()
};

/// Adapts the forest whose mesh the solver has, and gives the solver the new mesh with its values. Adds to `spent`;
/// what set_mesh() takes the solver counts itself; `values` is scratch. Collective.
void adapt(const adaptation_request& request, forest& tree, heat_solver& solver, value_transfer& values,
           adaptation_times& spent);

}  // namespace adaptive_heat
