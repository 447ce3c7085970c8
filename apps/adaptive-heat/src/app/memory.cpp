// SPDX-License-Identifier: BSD-3-Clause
// Refined cells level by level: those that balls touch, and those that balance adds around finer ones.
#include <algorithm>
#include <app/memory.hpp>
#include <cmath>
#include <common/memory.hpp>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

namespace adaptive_heat {
namespace {

/// The mean number of unit cells that touch a ball of that radius, wherever it is.
double cells_touched(double radius) {
  constexpr double pi = std::numbers::pi;
  return 1 + 6 * radius + 3 * pi * radius * radius + 4 * pi / 3 * radius * radius * radius;
}

}  // namespace

double expected_elements(const problem& p) {
  std::vector<double> radii;
  for (const heat_ball& b : p.at_start) radii.push_back(b.radius / p.length);
  for (const heat_ball& b : p.sources())
    if (b.strength != 0 || radii.empty()) radii.push_back(b.radius / p.length);
  double refined = 0, around = 0;  // cells around finer ones that balance refines, in cells of the level
  for (int level = p.levels - 1; level >= 0; --level) {
    const double cells = std::ldexp(1.0, 3 * level);
    double touched = 0;
    for (const double radius : radii) touched += cells_touched(std::ldexp(radius, level) + around);
    refined += std::min(touched, cells);
    around = (1 + around) / 2;
  }
  return 7 * refined + 1;
}

double expected_bytes(double elements, exchange_form form, int order) {
  // Measured with order 4: 4.3 kB on one rank, on several up to 6 kB, memory that ranks share being counted for
  // each; 10 kB in the ordered form, whose lists are of boundary points.
  constexpr double of_mesh = 1.8e3, shared = 1.4, of_boundary_point = 61;
  constexpr int mortar_vectors = 6;
  const point_counts counts{order};
  const int own_mortars = counts.of_dimension(0) + 3 * counts.of_dimension(1) + 3 * counts.of_dimension(2);
  const double values = counts.stored() + counts.interior() + mortar_vectors * own_mortars;
  const double of_order = form == exchange_form::ordered ? of_boundary_point * counts.boundary() : 0;
  return elements * (of_mesh + shared * 8 * values + of_order);
}

double expected_frame_bytes(double elements, const app_options& options) {
  if (options.output.empty()) return 0;
  const point_counts counts{options.what.order};
  const double points = counts.volume(), cells = std::pow(options.what.order, 3);
  const int frames = options.output_policy == nearfar::output_policy::synchronous ? 1 : 2;
  // Place and temperature of a point; corners, offset, kind, level and rank of a cell. Room for half as many elements
  // again.
  return 1.5 * frames * elements * (points * 32 + cells * 78);
}

void check_memory(const nearfar::team& members, const app_options& options) {
  const double elements = expected_elements(options.what);
  const double own = elements / members.size();
  char count[32];
  std::snprintf(count, sizeof count, "%.3g", elements);
  apps::check_memory(members, "about " + std::string(count) + " elements need",
                     expected_bytes(own, options.form, options.what.order) + expected_frame_bytes(own, options),
                     "take more nodes or fewer levels");
}

}  // namespace adaptive_heat
