// SPDX-License-Identifier: BSD-3-Clause
// The command line of the program.
#pragma once

#include <base/problem.hpp>
#include <functional>
#include <solver/simulation.hpp>
#include <span>
#include <string>

namespace adaptive_heat {

struct app_options {
  problem what = problem_class("S");
  exchange_form form = exchange_form::copies;
  mesh_source source = mesh_source::forest;
  bool is_verbose = false;  ///< a line per adaptation
  bool wants_help = false;
};

/// Reads the problem in a file of settings, the same on every rank.
using settings_reader = std::function<problem(const std::string& file)>;

/// Collective if there are settings and the reader is.
/// @throws nearfar::usage_error  naming the option, what was given and what is allowed
app_options parse_options(std::span<const char* const> arguments, const settings_reader& read_settings);
std::string help_text();

}  // namespace adaptive_heat
