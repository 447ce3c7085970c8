// SPDX-License-Identifier: BSD-3-Clause
// Signal 0 shows whether a process has this id, its state in /proc/PROCESS/stat whether it has ended (zombie).
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <base/process.hpp>
#include <cerrno>
#include <cstdio>
#include <string_view>

namespace nearfar {

namespace {

/// The state is the letter after the program's name in parentheses, which may hold any character.
bool has_ended(int process) noexcept {
  char path[32], line[512];
  std::snprintf(path, sizeof path, "/proc/%d/stat", process);
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ::ssize_t bytes = ::read(file, line, sizeof line);
  ::close(file);
  if (bytes <= 0) return false;
  const std::string_view words(line, static_cast<std::size_t>(bytes));
  const auto end = words.rfind(')');
  if (end == words.npos || end + 2 >= words.size()) return false;
  return words[end + 2] == 'Z' || words[end + 2] == 'X';
}

}  // namespace

bool is_process_alive(int process) noexcept {
  if (::kill(process, 0) != 0 && errno == ESRCH) return false;
  return !has_ended(process);
}

}  // namespace nearfar
