// SPDX-License-Identifier: BSD-3-Clause
// A source moves along a line, so where it leaves the cube follows from the distances to the faces.
#include <algorithm>
#include <app/notes.hpp>
#include <cmath>
#include <cstdio>
#include <limits>

namespace adaptive_heat {
namespace {

/// Of the sides of the smallest element that a ball's radius should have: from there on the heat of a run is that of
/// the source to 0.2 % (solver_settings_mpi_test).
constexpr double sides_resolved = 3;

std::string in_words(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string name_of(const char* what, int number, int count) {
  return count > 1 ? std::string(what) + " " + std::to_string(number + 1) : "the " + std::string(what);
}

void note_size(const heat_ball& b, const std::string& name, const problem& p, std::vector<std::string>& notes) {
  const double side = p.smallest_side();
  if (b.radius >= sides_resolved * side) return;
  std::string note = name + " has a radius of " + in_words(b.radius) + ", and the smallest elements have sides of " +
                     in_words(side) + ": ";
  note += b.radius < side / p.order ? "it may lie between their points, which then see nothing of it"
                                    : "its heat is resolved badly";
  const int levels = static_cast<int>(std::ceil(std::log2(sides_resolved * p.length / b.radius)));
  notes.push_back(note + "; mesh.levels = " + std::to_string(levels) + " resolves it");
}

/// The first time at which the centre is so far behind a face; infinite if it never is.
double time_behind_a_face(const heat_ball& b, const problem& p, double distance) {
  double first = std::numeric_limits<double>::infinity();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double v = b.velocity[axis], at = b.centre[axis] - p.origin[axis];
    if (v == 0) continue;
    const double path = v > 0 ? p.length + distance - at : at + distance;
    first = std::min(first, std::max(0.0, path / std::abs(v)));
  }
  return first;
}

void note_path(const heat_ball& b, const std::string& name, const problem& p, std::vector<std::string>& notes) {
  const double end = p.steps * p.time_step();
  const double touches = time_behind_a_face(b, p, -b.radius), is_gone = time_behind_a_face(b, p, b.radius);
  const auto step = [&](double time) { return std::to_string(static_cast<int>(time / p.time_step()) + 1); };
  if (b.strength == 0 || touches >= end) return;
  std::string note = name + " comes to the surface of the cube in step " + step(touches) + " of " +
                     std::to_string(p.steps) + " (time " + in_words(touches) + ")";
  if (is_gone < end) note += " and is outside from step " + step(is_gone) + " on (time " + in_words(is_gone) + ")";
  notes.push_back(note + ": not all of its heat is given to the cube");
}

}  // namespace

std::vector<std::string> notes_on(const problem& p) {
  std::vector<std::string> notes;
  if (p.name != 'U') return notes;
  const heat_balls sources = p.sources();
  for (int i = 0; i < sources.count; ++i) {
    const heat_ball& b = sources.all[static_cast<std::size_t>(i)];
    const std::string name = name_of("source", i, sources.count);
    if (b.strength != 0) note_size(b, name, p, notes);
    note_path(b, name, p, notes);
  }
  for (int i = 0; i < p.at_start.count; ++i)
    note_size(p.at_start.all[static_cast<std::size_t>(i)],
              name_of("ball that is hot at the start", i, p.at_start.count), p, notes);
  return notes;
}

}  // namespace adaptive_heat
