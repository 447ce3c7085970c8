// SPDX-License-Identifier: BSD-3-Clause
// The whole mesh from the ball alone, without history and without communication.
#pragma once

#include <mesh/ball.hpp>
#include <mesh/octant.hpp>
#include <vector>

namespace adaptive_heat {

/// The leaves, in Morton order, of the coarsest octree in which every leaf that the ball touches has level `levels`,
/// and levels across every face and every edge differ by one at most.
///
/// A node of the tree is refined if it is touched and not of the finest level, or if it is the parent of a refined
/// node, or of a refined node's neighbour of the same level over a face or an edge. This is the oracle of the
/// distributed mesh, and what
/// `--mesh=closed-form` uses.
/// @throws usage_error  see check_mesh_request
/// @cost   memory and time of the whole mesh, on each caller
/// @source the definition is that of NPB UA (NAS-04-006, section 5); that it has this closed form is ours
std::vector<octant> closed_form_leaves(const hot_region& hot, int levels);

}  // namespace adaptive_heat
