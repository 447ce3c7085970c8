// SPDX-License-Identifier: BSD-3-Clause
// What a ball and a finest level must be for a mesh to exist.
#include <cmath>
#include <mesh/ball.hpp>
#include <nearfar/error.hpp>
#include <string>

namespace adaptive_heat {

void check_mesh_request(const hot_region& region, int levels) {
  if (levels < 1 || levels > max_level)
    throw nearfar::usage_error("the finest level of a mesh was to be " + std::to_string(levels) + "; it is 1 to " +
                               std::to_string(max_level));
  for (const ball& b : region.balls()) {
    if (!std::isfinite(b.radius) || b.radius <= 0)
      throw nearfar::usage_error("the ball's radius was to be " + std::to_string(b.radius) +
                                 "; it is a positive finite part of the cube's side");
    for (const double c : b.centre)
      if (!std::isfinite(c))
        throw nearfar::usage_error("the ball's centre was to be at " + std::to_string(c) + "; coordinates are finite");
  }
}

}  // namespace adaptive_heat
