// SPDX-License-Identifier: BSD-3-Clause
// How a sender tells a near rank that reads its array in place that the array is at another address now.
#pragma once

#include <sys/uio.h>

#include <algorithm>
#include <near/arena.hpp>
#include <vector>

#include "near_policy.hpp"

namespace nearfar::exchange {

/// Where the sender's regions lie, if they have moved since the plan was made. Written between epochs, seen with
/// `ready`.
struct moved_sources {
  std::uint64_t times = 0;
  near::handle* handles() { return reinterpret_cast<near::handle*>(this + 1); }
  const near::handle* handles() const { return reinterpret_cast<const near::handle*>(this + 1); }
  static index_t bytes(std::size_t transfers) {
    return index_t{sizeof(moved_sources)} + as_index(transfers * sizeof(near::handle));
  }
};

/// The same of ordinary memory that the near rank has the kernel read: where the runs are now.
struct moved_runs {
  std::uint64_t times = 0;
  std::uint64_t count = 0;
  iovec runs[most_process_read_runs];

  void tell(const std::vector<iovec>& now) {
    std::copy(now.begin(), now.end(), runs);
    count = now.size();
    ++times;
  }
  void follow(std::uint64_t& moves_seen, std::vector<iovec>& known) const {
    if (times == moves_seen) return;
    moves_seen = times;
    known.assign(runs, runs + count);
  }
};

}  // namespace nearfar::exchange
