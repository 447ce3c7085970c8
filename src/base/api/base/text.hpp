// SPDX-License-Identifier: BSD-3-Clause
// Joins values into a message, and prints byte counts and times for people.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>

namespace nearfar {

/// text("rank ", 3, " of ", 4) gives "rank 3 of 4".
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

std::string readable_bytes(std::int64_t bytes);  ///< "12 B", "1.2 kB", "152 kB" (powers of 1000)
std::string readable_time(double seconds);       ///< "1.24 us", "3.10 ms", "12.0 s" (three digits)

}  // namespace nearfar
