// SPDX-License-Identifier: BSD-3-Clause
// The clock of the watchdog over MPI's own calls.
#pragma once

namespace nearfar {

/// How the watchdog's thread tells the time, and how it lets it pass between two looks at the calls.
struct watchdog_clock {
  double (*now_s)();
  void (*sleep)(double seconds);
};
/// The process's: the monotonic clock. A test may put another there before the first call, and say when a look is due.
watchdog_clock& clock_of_watchdog() noexcept;

}  // namespace nearfar
