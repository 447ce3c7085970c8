// SPDX-License-Identifier: BSD-3-Clause
// The command line of the program.
#pragma once

#include <base/problem.hpp>
#include <common/program.hpp>
#include <functional>
#include <nearfar/output.hpp>
#include <solver/simulation.hpp>
#include <span>
#include <string>

namespace adaptive_heat {

struct app_options : apps::program_options {
  problem what = problem_class("S");
  exchange_form form = exchange_form::copies;
  point_distribution distribution = point_distribution::block;  ///< of the form `distributed`
  bool compares_distributions = false;                          ///< in place of a run
  int predicted_ranks = 0;                                      ///< likewise: up to so many; 0: none
  mesh_source source = mesh_source::forest;
  int threads = 1;        ///< of each rank
  std::string output;     ///< NAME.vtkhdf; empty: none
  int output_every = 10;  ///< steps
  nearfar::output_policy output_policy = nearfar::output_policy::thread;
  std::string checkpoint;      ///< empty: none
  int checkpoint_every = 100;  ///< steps
  std::string json;            ///< empty: none
  bool is_verbose = false;     ///< a line per adaptation
};

/// How problems are read from files, the same on every rank.
struct problem_readers {
  std::function<problem(const apps::program_options&)> settings;
  std::function<problem(const std::string& file)> checkpoint;
};

/// Collective if a file is read and its reader is.
/// @throws nearfar::usage_error  naming the option, what was given and what is allowed
app_options parse_options(std::span<const char* const> arguments, const problem_readers& readers);
std::string help_text();

}  // namespace adaptive_heat
