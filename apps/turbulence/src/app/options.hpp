// SPDX-License-Identifier: BSD-3-Clause
// The command line of the program.
#pragma once

#include <common/program.hpp>

namespace turbulence {

struct app_options : apps::program_options {
  bool is_interpolated = false;  ///< a checkpoint of another grid will do
  std::string compared{};        ///< a series to be compared, instead of a run
  std::string reference{};       ///< a file like the curve that is a part of the program; empty: that
};

/// @throws nearfar::usage_error  naming the option, what was given and what is allowed
app_options parse_options(std::span<const char* const> arguments);
std::string help_text();

}  // namespace turbulence
