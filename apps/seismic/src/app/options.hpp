// SPDX-License-Identifier: BSD-3-Clause
// The command line of the program.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace seismic {

struct app_options {
  std::string settings_file;             ///< empty: what keys are if they are left out
  std::vector<std::string> assignments;  ///< "section.key=value"
  std::string restart;                   ///< a checkpoint; empty: from the start
  std::string model;                     ///< where the medium is written, instead of a run; empty: a run
  bool is_forced = false;                ///< a run is made that seems not to fit into memory
  bool wants_help = false, wants_version = false, wants_template = false, wants_tables = false;
};

/// @throws nearfar::usage_error  naming the option, what was given and what is allowed
app_options parse_options(std::span<const char* const> arguments);
std::string help_text();

}  // namespace seismic
