// SPDX-License-Identifier: BSD-3-Clause
// Problems of the user's own, from files in TOML.
#pragma once

#include <base/problem.hpp>
#include <string>
#include <string_view>

namespace adaptive_heat {

/// The problem that such a file describes; apps/adaptive-heat/README.md lists the keys. Local: equal texts give equal
/// problems or errors.
/// @param name  of the file, for messages
/// @throws nearfar::usage_error  with file, line, key, value and what is allowed
problem problem_in(std::string_view text, const std::string& name);

}  // namespace adaptive_heat
