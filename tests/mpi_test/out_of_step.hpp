// SPDX-License-Identifier: BSD-3-Clause
// Makes ranks come late, by a count and not by a time.
#pragma once

#include <sched.h>

namespace nearfar::test {

/// Does nothing for a while and gives the core away, some times over: others get ahead, on an idle machine by 100 us.
/// Few yields, since each may take a time slice of every program on a busy one.
inline void fall_behind(int times = 4) {
  for (int t = 0; t < times; ++t) {
    for (volatile int n = 0; n < 20'000;) n = n + 1;
    sched_yield();
  }
}

}  // namespace nearfar::test
