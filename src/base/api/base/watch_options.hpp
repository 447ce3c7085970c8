// SPDX-License-Identifier: BSD-3-Clause
// The clock by which waits are long.
#pragma once

namespace nearfar {

/// How long waits tell the time, and how the watchdog's thread over MPI's own calls lets it pass between two looks.
struct watchdog_clock {
  double (*now_s)();
  void (*sleep)(double seconds);
};
/// The process's: the monotonic clock. A test may put another there before the first call, and say when a look is due.
watchdog_clock& clock_of_watchdog() noexcept;

}  // namespace nearfar
