// SPDX-License-Identifier: BSD-3-Clause
// Words of a format, for logs.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>

namespace seismic {

namespace line_of {
inline std::string arguments(const char* format, std::va_list values) {
  char words[500];
  std::vsnprintf(words, sizeof words, format, values);
  return words;
}
}  // namespace line_of

/// At most 499 characters.
__attribute__((format(printf, 1, 2))) inline std::string line_part(const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  std::string words = line_of::arguments(format, values);
  va_end(values);
  return words;
}

/// The same and the end of the line.
__attribute__((format(printf, 1, 2))) inline std::string line(const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  std::string words = line_of::arguments(format, values);
  va_end(values);
  return words + "\n";
}

}  // namespace seismic
