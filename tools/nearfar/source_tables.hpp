// SPDX-License-Identifier: BSD-3-Clause
// Tables of what four of the publications did, on more ranks; the fifth, BRAMS, has its own.
#pragma once

#include <model/machine.hpp>
#include <string>

namespace nearfar::command {

struct machine_runs {
  model::machine where;
  int runs = 5;  ///< of which medians are taken
};

/// decomp2d, allreduce, ua and fletcher, as the experiments in bench/papers are called.
bool is_source_table(const std::string& name);
/// Prints the published way and Nearfar's best one, with what it owes that to and the memory of a rank's plan.
int print_source(const std::string& name, const machine_runs& of, bool is_json);

}  // namespace nearfar::command
