// SPDX-License-Identifier: BSD-3-Clause
// Values of elements from one mesh to the next, whichever ranks have them.
#pragma once

#include <element/refinement.hpp>
#include <nearfar/team.hpp>
#include <solver/mesh_part.hpp>

namespace adaptive_heat {

/// The old leaves, with values, that the new part's leaves are made from. Collective. `old` is sorted.
/// @cost one message to each rank whose new part overlaps this rank's old part
std::vector<old_leaf> migrate(const nearfar::team& members, std::vector<old_leaf> old, const mesh_part& fresh);

}  // namespace adaptive_heat
