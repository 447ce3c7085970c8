// SPDX-License-Identifier: BSD-3-Clause
// The command line of the program.
#pragma once

#include <base/problem.hpp>
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

/// @throws nearfar::usage_error  naming the option, what was given and what is allowed
app_options parse_options(std::span<const char* const> arguments);
std::string help_text();

}  // namespace adaptive_heat
