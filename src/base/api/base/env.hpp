// SPDX-License-Identifier: BSD-3-Clause
// Reads NEARFAR_… variables; a value that cannot be read is a usage_error that names the allowed range. Empty means
// unset.
#pragma once

#include <cstdint>
#include <string>

namespace nearfar::env {

std::string string_or(const char* name, const std::string& fallback);
std::int64_t integer_or(const char* name, std::int64_t fallback, std::int64_t lowest, std::int64_t highest);
double number_or(const char* name, double fallback, double lowest, double highest);

/// A limit of time: 0, which is the default, for none, else from 0.01 to 1e9 seconds.
double limit_s(const char* name);

}  // namespace nearfar::env
