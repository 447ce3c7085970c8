// SPDX-License-Identifier: BSD-3-Clause
// The ball of heat that moves through the unit cube; where it is, the mesh is finest.
#pragma once

#include <array>
#include <mesh/octant.hpp>

namespace adaptive_heat {

/// An open ball in units of the cube's side.
struct ball {
  std::array<double, 3> centre{};
  double radius = 0;

  /// Whether the closed box of `o` has a point nearer than the radius: squared distance strictly below its square.
  bool touches(const octant& o) const noexcept {
    constexpr double unit = 1.0 / cube_side;  // a power of two: products are exact
    const double side = o.side() * unit;
    const double dx = distance(centre[0], o.x * unit, side);
    const double dy = distance(centre[1], o.y * unit, side);
    const double dz = distance(centre[2], o.z * unit, side);
    return dx * dx + dy * dy + dz * dz < radius * radius;
  }

 private:
  static double distance(double c, double low, double side) noexcept {
    const double below = low - c, above = c - (low + side);
    const double most = below > above ? below : above;
    return most > 0 ? most : 0;
  }
};

/// The ball of NPB UA, section 2: it starts at (3, 2, 2)/7 and moves with the flow.
struct moving_ball {
  std::array<double, 3> start{3.0 / 7, 2.0 / 7, 2.0 / 7};
  std::array<double, 3> velocity{3, 3, 3};
  double radius = 0;

  ball at(double time) const noexcept {
    ball b{.centre = {}, .radius = radius};
    for (std::size_t i = 0; i < 3; ++i) b.centre[i] = start[i] + velocity[i] * time;
    return b;
  }
};

/// Throws nearfar::usage_error, naming the value and what is allowed, if no mesh can be made: a radius that is not
/// positive and finite, a centre that is not finite, or a level outside 1 … max_level. Local.
void check_mesh_request(const ball& b, int levels);

}  // namespace adaptive_heat
