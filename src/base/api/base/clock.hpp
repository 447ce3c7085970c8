// SPDX-License-Identifier: BSD-3-Clause
// Seconds on the monotonic clock.
#pragma once

#include <chrono>

namespace nearfar {

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace nearfar
