// SPDX-License-Identifier: BSD-3-Clause
// Signal 0 shows whether a process has this id, /proc/PROCESS/stat whether it has ended (zombie).
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <base/process.hpp>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <limits>
#include <string_view>

namespace nearfar {

namespace {

/// The fields follow the program's name in parentheses, which may hold any character: the state of the thread that ran
/// main, and 17 fields on the number of threads. That thread may have ended by pthread_exit while others work: it stays
/// and counts until all have.
bool has_ended(int process) noexcept {
  constexpr int fields_between = 17;
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
  if (words[end + 2] != 'Z' && words[end + 2] != 'X') return false;
  auto at = end + 2;
  for (int field = 0; field < fields_between && at != words.npos; ++field) at = words.find(' ', at + 1);
  return at == words.npos || words.substr(at + 1, 2) == "1 " || words.substr(at + 1, 2) == "0 ";
}

}  // namespace

bool is_process_alive(int process) noexcept {
  if (::kill(process, 0) != 0 && errno == ESRCH) return false;
  return !has_ended(process);
}

std::int64_t file_size_limit() noexcept {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  rlimit limit{};
  const bool has_none = getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur > static_cast<rlim_t>(most);
  return has_none ? most : static_cast<std::int64_t>(limit.rlim_cur);
}

namespace {

sigset_t only_file_size_signal() noexcept {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  return set;
}

}  // namespace

file_size_signal_off::file_size_signal_off() noexcept {
  const sigset_t set = only_file_size_signal();
  sigset_t before;
  if (pthread_sigmask(SIG_BLOCK, &set, &before) == 0) was_blocked_ = sigismember(&before, SIGXFSZ) != 0;
}

// The kernel sends the signal to the thread that writes: it waits there, and is taken away before it can be delivered.
file_size_signal_off::~file_size_signal_off() {
  if (was_blocked_) return;
  const int code = errno;
  const sigset_t set = only_file_size_signal();
  const timespec no_time{};
  sigtimedwait(&set, nullptr, &no_time);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  errno = code;
}

}  // namespace nearfar
