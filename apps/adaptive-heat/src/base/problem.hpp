// SPDX-License-Identifier: BSD-3-Clause
// What is solved: the problem classes of NPB UA, or a problem of the user's own.
#pragma once

#include <algorithm>
#include <array>
#include <element/order.hpp>
#include <numbers>
#include <string_view>

namespace adaptive_heat {

constexpr int steps_between_adaptations = 5;  ///< of the benchmark

/// A ball of heat, whose profile is strength (1 + cos(pi r / radius)) up to that distance from its centre.
struct heat_ball {
  std::array<double, 3> centre{}, velocity{};
  double radius = 0, strength = 0;

  constexpr double heat() const noexcept {
    constexpr double pi = std::numbers::pi;
    return strength * 4 * pi * radius * radius * radius * (1.0 / 3 - 2 / (pi * pi));
  }
};

constexpr int most_balls = 8;  ///< sources, and balls that are hot at the start

struct heat_balls {
  std::array<heat_ball, most_balls> all{};
  int count = 0;

  constexpr const heat_ball* begin() const noexcept { return all.data(); }
  constexpr const heat_ball* end() const noexcept { return all.data() + count; }
  constexpr void push_back(const heat_ball& b) { all.at(static_cast<std::size_t>(count++)) = b; }
  constexpr double heat() const noexcept {
    double sum = 0;
    for (const heat_ball& b : *this) sum += b.heat();
    return sum;
  }
  /// The sum of the profiles.
  double value_at(const std::array<double, 3>& place) const;
};

/// Lengths are in units of the user's, of which the cube's side is `length`; times in the unit that velocities are in.
///   dT/dt + flow . grad T = viscosity Laplace T + strength (1 + cos(pi r / radius)),  r < radius: the distance from
///   the source,
/// and so on for more sources; T = 0 on the surface of the cube and at the start, but for balls that are hot then.
struct problem {
  char name = 'U';
  int levels = 0;       ///< finest level of the mesh
  int steps = 0;        ///< time steps
  int iterations = 10;  ///< of the conjugate gradients in each step
  double radius = 0;    ///< of the ball
  double integral = 0;  ///< reference value of the heat at the end; 0: there is none

  std::array<double, 3> centre{3.0 / 7, 2.0 / 7, 2.0 / 7};  ///< of the first source at the start
  std::array<double, 3> velocity{3, 3, 3};                  ///< of the first source
  std::array<double, 3> flow{3, 3, 3};                      ///< velocity of the medium
  double strength = 1;
  double viscosity = 0.005;                     ///< diffusivity of heat
  std::array<double, 3> origin{};               ///< corner of the cube
  double length = 1;                            ///< its side
  int adapt_every = steps_between_adaptations;  ///< steps
  double step_given = 0;                        ///< time step; 0: the benchmark's
  int order = usual_order;                      ///< of the polynomials on elements
  heat_balls more_sources{}, at_start{};        ///< the latter's strength is a temperature; they go with the flow

  constexpr heat_balls sources() const {
    heat_balls all;
    all.push_back({centre, velocity, radius, strength});
    for (const heat_ball& b : more_sources) all.push_back(b);
    return all;
  }
  /// Side of the smallest element.
  constexpr double smallest_side() const noexcept { return length / static_cast<double>(1LL << levels); }
  /// Steps of convection may be as long as with the benchmark's order, or this share of it: the gaps between the
  /// outermost points of an element are as 1 / order^2.
  constexpr double share_of_step() const noexcept {
    return std::min(1.0, static_cast<double>(usual_order * usual_order) / (order * order));
  }
  /// 0.04 sides of the smallest element of the unit cube with the benchmark's order, unless another one is given.
  constexpr double time_step() const noexcept {
    return step_given > 0 ? step_given : 0.04 * share_of_step() / static_cast<double>(1LL << levels);
  }
  /// Heat that is there at the start or that sources give in all steps, as long as they are inside the cube; what is
  /// there at the end can be no more, where all are hot or all are cold.
  constexpr double heat_given() const { return at_start.heat() + sources().heat() * steps * time_step(); }
  /// The same, none of it cancelling: for whether a result can be.
  constexpr double heat_moved() const {
    double sum = 0;
    for (const heat_ball& b : at_start) sum += b.heat() < 0 ? -b.heat() : b.heat();
    for (const heat_ball& b : sources()) sum += (b.heat() < 0 ? -b.heat() : b.heat()) * steps * time_step();
    return sum;
  }
  /// Length of a path in sides of the cube, and a place in the cube's own coordinates.
  constexpr double scaled(double path) const noexcept { return path / length; }
  constexpr std::array<double, 3> scaled(const std::array<double, 3>& v) const noexcept {
    return {scaled(v[0]), scaled(v[1]), scaled(v[2])};
  }
  constexpr std::array<double, 3> place_in_cube(const std::array<double, 3>& x) const noexcept {
    return scaled(std::array<double, 3>{x[0] - origin[0], x[1] - origin[1], x[2] - origin[2]});
  }
};

/// @source NPB 3.4, UA: npbparams of setparams, verify; class E has no reference value
constexpr std::array<problem, 7> problem_classes{{
    {'S', 4, 50, 10, 0.040, 0.1890013110962e-02},
    {'W', 5, 100, 10, 0.060, 0.2569794837076e-04},
    {'A', 6, 200, 10, 0.076, 0.8939996281443e-04},
    {'B', 7, 200, 10, 0.076, 0.4507561922901e-04},
    {'C', 8, 200, 10, 0.067, 0.1544736587100e-04},
    {'D', 10, 250, 10, 0.046, 0.1577586272355e-05},
    {'E', 12, 250, 10, 0.0294, 0},
}};

/// The class of that name, S W A B C D or E. @throws nearfar::usage_error for any other
const problem& problem_class(std::string_view name);

}  // namespace adaptive_heat
