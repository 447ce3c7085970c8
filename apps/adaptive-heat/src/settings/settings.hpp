// SPDX-License-Identifier: BSD-3-Clause
// Problems of the user's own, from files in TOML.
#pragma once

#include <base/problem.hpp>
#include <span>
#include <string>
#include <string_view>

namespace adaptive_heat {

/// The problem that such a file describes; apps/adaptive-heat/README.md lists the keys. Local: equal texts give equal
/// problems or errors.
/// @param name  of the file, for messages
/// @param assignments  "section.key=value" each: replace keys of the file
/// @throws nearfar::usage_error  with file, line, key, value and what is allowed
problem problem_in(std::string_view text, const std::string& name, std::span<const std::string> assignments = {});

std::string settings_template();  ///< a file with all keys, which says what they mean
std::string settings_tables();    ///< the same in Markdown

}  // namespace adaptive_heat
