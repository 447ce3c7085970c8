// SPDX-License-Identifier: BSD-3-Clause
// The keys of a problem. What is left out is as in the benchmark.
#include <algorithm>
#include <cmath>
#include <common/key_reader.hpp>
#include <mesh/octant.hpp>
#include <nearfar/error.hpp>
#include <settings/settings.hpp>

namespace adaptive_heat {
namespace {

using apps::key_reader;
using apps::range;

constexpr range any{}, positive{.low = 0, .is_open_below = true};
constexpr std::array<range, 3> anywhere{any, any, any};
/// Of the sides of the smallest element that the flow may cross in a step. Beyond that the explicit step of convection
/// blows up.
constexpr double courant_bound = 0.5;  // with the benchmark's order, and problem::share_of_step() of it with others
/// The benchmark's step in the same unit for each component of its velocity, and with the same share.
constexpr double courant_usual = 0.12;

void read_cube(key_reader& keys, problem& p) {
  p.origin = keys.place("domain", "origin", anywhere, p.origin);
  p.length = keys.number("domain", "length", positive, p.length);
  p.levels = static_cast<int>(keys.whole("mesh", "levels", 1, max_level - 1));
  p.order = static_cast<int>(keys.whole("mesh", "order", least_order, most_order, p.order));
  p.adapt_every = static_cast<int>(keys.whole("mesh", "steps-per-adaptation", 1, 1000000, p.adapt_every));
}

void read_source(key_reader& keys, problem& p) {
  std::array<range, 3> inside;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    p.centre[axis] = p.origin[axis] + p.length * p.centre[axis];
    inside[axis] = {.low = p.origin[axis], .high = p.origin[axis] + p.length};
  }
  p.centre = keys.place("source", "centre", inside, p.centre);
  p.velocity = keys.place("source", "velocity", anywhere, p.velocity);
  p.radius = keys.number("source", "radius", {.low = 0, .high = p.length, .is_open_below = true});
  p.strength = keys.number("source", "strength", any, p.strength);
}

void read_medium(key_reader& keys, problem& p) {
  p.flow = keys.place("medium", "velocity", anywhere, p.flow);
  p.viscosity = keys.number("medium", "diffusivity", positive, p.viscosity);
}

double fastest(const problem& p) {
  double most = 0;
  for (const double v : p.flow) most = std::max(most, std::abs(v));
  for (const double v : p.velocity) most = std::max(most, std::abs(v));
  return most;
}

void read_time(key_reader& keys, problem& p) {
  p.steps = static_cast<int>(keys.whole("time", "steps", 1, 1000000));
  range allowed = positive;
  const double flow = std::abs(p.flow[0]) + std::abs(p.flow[1]) + std::abs(p.flow[2]);
  if (flow > 0) allowed.high = courant_bound * p.share_of_step() * p.smallest_side() / flow;
  std::optional<double> usual;
  if (fastest(p) > 0) usual = courant_usual * p.share_of_step() * p.smallest_side() / fastest(p);
  p.step_given = keys.number("time", "step", allowed, usual);
  p.iterations = static_cast<int>(keys.whole("solver", "iterations", 1, 1000, p.iterations));
}

}  // namespace

problem problem_in(std::string_view text, const std::string& name) {
  const toml::table file = apps::parsed(text, name);
  key_reader keys(file, name);
  problem p;
  read_cube(keys, p);
  read_source(keys, p);
  read_medium(keys, p);
  read_time(keys, p);
  keys.refuse_others();
  return p;
}

}  // namespace adaptive_heat
