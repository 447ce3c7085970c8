// SPDX-License-Identifier: BSD-3-Clause
// Looks up a problem class.
#include <base/problem.hpp>
#include <cmath>
#include <nearfar/error.hpp>
#include <string>

namespace adaptive_heat {

double heat_balls::value_at(const std::array<double, 3>& place) const {
  double sum = 0;
  for (const heat_ball& b : *this) {
    const double r = std::hypot(place[0] - b.centre[0], place[1] - b.centre[1], place[2] - b.centre[2]);
    if (r < b.radius) sum += b.strength * (1 + std::cos(std::numbers::pi * r / b.radius));
  }
  return sum;
}

const problem& problem_class(std::string_view name) {
  for (const problem& p : problem_classes)
    if (name.size() == 1 && name[0] == p.name) return p;
  throw nearfar::usage_error("there is no problem class '" + std::string(name) + "'; the classes are S W A B C D E");
}

}  // namespace adaptive_heat
