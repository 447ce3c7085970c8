// SPDX-License-Identifier: BSD-3-Clause
// The command line of the program.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace turbulence {

struct app_options {
  std::string settings_file{};             ///< empty: what keys are if they are left out
  std::vector<std::string> assignments{};  ///< "section.key=value"
  std::string restart{};                   ///< a checkpoint; empty: from the start
  bool is_interpolated = false;            ///< a checkpoint of another grid will do
  std::string compared{};                  ///< a series to be compared, instead of a run
  std::string reference{};                 ///< a file like the curve that is a part of the program; empty: that
  bool wants_help = false, wants_version = false, wants_template = false, wants_tables = false;
};

/// @throws nearfar::usage_error  naming the option, what was given and what is allowed
app_options parse_options(std::span<const char* const> arguments);
std::string help_text();

}  // namespace turbulence
