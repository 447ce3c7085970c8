// SPDX-License-Identifier: BSD-3-Clause
// One line to standard error, with the rank in front; NEARFAR_LOG = error, warning (default), info or debug.
#pragma once

#include <base/text.hpp>
#include <mutex>
#include <string>

namespace nearfar::log {

enum class level { error, warning, info, debug };

void set_rank(int rank);  ///< shown in every later line; none is shown before

bool is_on(level wanted);
void write(level at, const std::string& line);

template <class... Parts>
void warning(const Parts&... parts) {
  if (is_on(level::warning)) write(level::warning, text(parts...));
}
/// What may happen many times in a process: a warning once, then information.
template <class... Parts>
void warning_once(std::once_flag& was_said, const Parts&... parts) {
  level at = level::info;
  std::call_once(was_said, [&at] { at = level::warning; });
  if (is_on(at)) write(at, text(parts...));
}
template <class... Parts>
void info(const Parts&... parts) {
  if (is_on(level::info)) write(level::info, text(parts...));
}
template <class... Parts>
void debug(const Parts&... parts) {
  if (is_on(level::debug)) write(level::debug, text(parts...));
}

}  // namespace nearfar::log
