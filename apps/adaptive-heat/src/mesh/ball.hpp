// SPDX-License-Identifier: BSD-3-Clause
// Balls of heat that move through the unit cube; where they are, the mesh is finest.
#pragma once

#include <algorithm>
#include <array>
#include <mesh/octant.hpp>
#include <utility>
#include <vector>

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

/// Where the mesh is finest: what one ball or some balls touch.
class hot_region {
 public:
  hot_region(const ball& one) : balls_{one} {}
  explicit hot_region(std::vector<ball> balls) : balls_(std::move(balls)) {}
  const std::vector<ball>& balls() const noexcept { return balls_; }
  bool touches(const octant& o) const noexcept {
    return std::any_of(balls_.begin(), balls_.end(), [&](const ball& b) { return b.touches(o); });
  }

 private:
  std::vector<ball> balls_;
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

struct moving_source {
  moving_ball ball;
  double strength = 1;
};

/// Throws nearfar::usage_error, naming the value and what is allowed, if no mesh can be made: a radius that is not
/// positive and finite, a centre that is not finite, or a level outside 1 … max_level. Local.
void check_mesh_request(const hot_region& region, int levels);

}  // namespace adaptive_heat
