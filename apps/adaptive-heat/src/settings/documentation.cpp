// SPDX-License-Identifier: BSD-3-Clause
// What each key means. The template is class S of the benchmark.
#include <common/documented_key.hpp>
#include <settings/settings.hpp>

namespace adaptive_heat {
namespace {

constexpr apps::documented_key keys_of_settings[] = {
    {"domain", "origin", "[0.0, 0.0, 0.0]", "corner of the cube"},
    {"domain", "length", "1.0", "its side"},
    {"mesh", "levels", "4", "the smallest elements have sides of length / 2^levels, 1 to 18; required"},
    {"mesh", "order", "4", "of the polynomials on each element, 2 to 8: (order + 1)^3 points"},
    {"mesh", "steps-per-adaptation", "5", "of the mesh to where the balls of heat are"},
    {"source", "centre", "[0.42857142857142855, 0.2857142857142857, 0.2857142857142857]",
     "where the source is at the start, inside the cube"},
    {"source", "velocity", "[3.0, 3.0, 3.0]", "how it moves"},
    {"source", "radius", "0.04", "up to the cube's side; required"},
    {"source", "strength", "1.0", "it gives strength (1 + cos(pi r / radius)); cold sources are negative"},
    {"initial", "centre", "[0.5, 0.5, 0.5]", "of a ball that is hot at the start, of the profile of a source", true},
    {"initial", "radius", "0.2", "required in such a table", true},
    {"initial", "temperature", "1.0", "at its centre", true},
    {"medium", "velocity", "[3.0, 3.0, 3.0]", "what flows through the cube"},
    {"medium", "diffusivity", "0.005", "how well it conducts"},
    {"time", "steps", "50", "required"},
    {"time", "step", "0.0025",
     "in it the flow crosses at most half a side of the smallest element (the sum over the axes), with orders above 4 "
     "(4 / order)^2 of that; left out: 0.12 sides / fastest component, with the same factor"},
    {"solver", "iterations", "10", "of the conjugate gradients in each step"},
};
constexpr std::string_view lists_of_tables[] = {"source", "initial"};

}  // namespace

std::string settings_template() {
  return apps::template_of(keys_of_settings,
                           "# Settings of nearfar-adaptive-heat. [[source]] and [[initial]] may be there up to 8 "
                           "times; keys that begin with # are examples.\n",
                           lists_of_tables);
}

std::string settings_tables() { return apps::tables_of(keys_of_settings, lists_of_tables); }

}  // namespace adaptive_heat
