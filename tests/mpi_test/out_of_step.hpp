// SPDX-License-Identifier: BSD-3-Clause
// Makes ranks come late, by a count and not by a time.
#pragma once

#include <sched.h>

namespace nearfar::test {

/// Gives the core away so often that the other ranks get ahead: on an idle machine for some 100 us.
inline void fall_behind(int yields = 200) {
  for (int n = 0; n < yields; ++n) sched_yield();
}

}  // namespace nearfar::test
