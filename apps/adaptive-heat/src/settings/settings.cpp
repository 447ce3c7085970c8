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

std::array<range, 3> inside(const problem& p) {
  std::array<range, 3> all;
  for (std::size_t axis = 0; axis < 3; ++axis) all[axis] = {.low = p.origin[axis], .high = p.origin[axis] + p.length};
  return all;
}

range radius_of(const problem& p) { return {.low = 0, .high = p.length, .is_open_below = true}; }

/// @param usual  what is left out, but for the radius
heat_ball source_in(key_reader& keys, const std::string& section, const problem& p, const heat_ball& usual) {
  heat_ball b;
  b.centre = keys.place(section, "centre", inside(p), usual.centre);
  b.velocity = keys.place(section, "velocity", anywhere, usual.velocity);
  b.radius = keys.number(section, "radius", radius_of(p));
  b.strength = keys.number(section, "strength", any, usual.strength);
  return b;
}

void add(heat_balls& to, const heat_ball& b, const std::string& section, int most) {
  if (to.count >= most)
    throw nearfar::usage_error("there are more than " + std::to_string(most_balls) + " tables [[" +
                               section.substr(0, section.find('[')) + "]], which is the most that is possible");
  to.push_back(b);
}

/// A temperature at the centre is twice the profile's strength.
void read_start(key_reader& keys, problem& p) {
  std::array<double, 3> middle = p.origin;
  for (double& x : middle) x += p.length / 2;
  for (const std::string& section : keys.tables("initial")) {
    heat_ball b;
    b.centre = keys.place(section, "centre", inside(p), middle);
    b.radius = keys.number(section, "radius", radius_of(p));
    b.strength = keys.number(section, "temperature", any, 1) / 2;
    add(p.at_start, b, section, most_balls);
  }
}

/// Where heat is there at the start, there need be no source.
void read_sources(key_reader& keys, problem& p) {
  for (std::size_t axis = 0; axis < 3; ++axis) p.centre[axis] = p.origin[axis] + p.length * p.centre[axis];
  std::vector<std::string> sections = keys.tables("source");
  if (sections.empty() && p.at_start.count > 0) {
    p.radius = p.at_start.all[0].radius, p.strength = 0, p.velocity = {};
    return;
  }
  if (sections.empty()) sections.push_back("source");
  const heat_ball usual{p.centre, p.velocity, 0, p.strength};
  const heat_ball first = source_in(keys, sections.front(), p, usual);
  p.centre = first.centre, p.velocity = first.velocity, p.radius = first.radius, p.strength = first.strength;
  for (std::size_t i = 1; i < sections.size(); ++i)
    add(p.more_sources, source_in(keys, sections[i], p, usual), sections[i], most_balls - 1);
}

void read_medium(key_reader& keys, problem& p) {
  p.flow = keys.place("medium", "velocity", anywhere, p.flow);
  p.viscosity = keys.number("medium", "diffusivity", positive, p.viscosity);
}

double fastest(const problem& p) {
  double most = 0;
  for (const double v : p.flow) most = std::max(most, std::abs(v));
  for (const heat_ball& b : p.sources())
    for (const double v : b.velocity) most = std::max(most, std::abs(v));
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

problem problem_in(std::string_view text, const std::string& name, std::span<const std::string> assignments) {
  toml::table file = apps::parsed(text, name);
  for (const std::string& a : assignments) apps::put(file, a, "--set");
  key_reader keys(file, name);
  problem p;
  read_cube(keys, p);
  read_start(keys, p);
  read_sources(keys, p);
  read_medium(keys, p);
  read_time(keys, p);
  keys.refuse_others();
  return p;
}

}  // namespace adaptive_heat
