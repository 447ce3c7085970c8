// SPDX-License-Identifier: BSD-3-Clause
// The global numbers that NPB UA gives to mortar points.
#pragma once

#include <cstdint>
#include <mortar/layout.hpp>
#include <nearfar/team.hpp>
#include <span>
#include <vector>

namespace adaptive_heat {

/// Vertices first, then points of edges and faces; each in the order in which the elements along the curve touch them
/// first.
struct global_numbers {
  std::vector<std::int64_t> points;    ///< of a rank's own points and ghosts, as they lie in its mortar vectors
  std::int64_t vertices = 0, all = 0;  ///< of the whole mesh
};

/// Collective over the team. The numbers do not depend on how many ranks there are. @cost an irregular plan, used twice
/// @source NPB 3.4, UA, setup of idmo
global_numbers number_points(const nearfar::team& members, const mortar_layout& layout,
                             std::span<const leaf_shape> shapes);

}  // namespace adaptive_heat
