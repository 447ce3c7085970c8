// SPDX-License-Identifier: BSD-3-Clause
// The command line of the program.
#pragma once

#include <common/program.hpp>

namespace seismic {

struct app_options : apps::program_options {
  std::string model{};  ///< where the medium is written, instead of a run; empty: a run
};

/// @throws nearfar::usage_error  naming the option, what was given and what is allowed
app_options parse_options(std::span<const char* const> arguments);
std::string help_text();

}  // namespace seismic
