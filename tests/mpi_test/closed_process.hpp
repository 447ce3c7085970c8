// SPDX-License-Identifier: BSD-3-Clause
// A process as programs become that drop rights after MPI_Init: for near ranks to find when a plan has been made.
#pragma once

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace nearfar::test {

/// While it lives, no other process can read this one's memory or open its descriptors; root stops being root, since
/// root may. Without root's rights a process cannot be closed to its own peers that have them, so test all ranks alike.
class closed_process {
 public:
  closed_process() {
    constexpr unsigned nobody = 65534;
    is_changed_ = !is_root_ || (setegid(nobody) == 0 && seteuid(nobody) == 0);
    prctl(PR_SET_DUMPABLE, 0);
  }
  ~closed_process() {
    if (is_root_) is_changed_ = seteuid(0) == 0 && setegid(0) == 0;
    prctl(PR_SET_DUMPABLE, 1);
  }
  closed_process(const closed_process&) = delete;
  closed_process& operator=(const closed_process&) = delete;
  bool is_changed() const { return is_changed_; }

 private:
  bool is_root_ = geteuid() == 0, is_changed_ = false;
};

/// While it lives, this process can open no more files.
class no_descriptors {
 public:
  no_descriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int next = dup(0);
    close(next);
    const rlimit low{static_cast<rlim_t>(next), before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &low);
  }
  ~no_descriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  no_descriptors(const no_descriptors&) = delete;
  no_descriptors& operator=(const no_descriptors&) = delete;

 private:
  rlimit before_{};
};

}  // namespace nearfar::test
