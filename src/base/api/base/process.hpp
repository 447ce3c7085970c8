// SPDX-License-Identifier: BSD-3-Clause
// Whether another process of this machine still runs.
#pragma once

#include <cstdint>

namespace nearfar {

/// False once all threads of the process have ended, even while nobody has collected its exit status (a zombie, of
/// which kill() knows no difference). True for one that may not be looked at. Local; takes a few microseconds.
bool is_process_alive(int process) noexcept;

/// Bytes that files of this process may have (RLIMIT_FSIZE); the largest number if there is no limit. Local.
std::int64_t file_size_limit() noexcept;

/// While it lives, a write of this thread that would make a file longer than the process may make files (RLIMIT_FSIZE)
/// fails with EFBIG, and does not end the program (SIGXFSZ). Local; two system calls.
class file_size_signal_off {
 public:
  file_size_signal_off() noexcept;
  ~file_size_signal_off();
  file_size_signal_off(const file_size_signal_off&) = delete;
  file_size_signal_off& operator=(const file_size_signal_off&) = delete;

 private:
  bool was_blocked_ = true;
};

}  // namespace nearfar
