// SPDX-License-Identifier: BSD-3-Clause
// When the watchdog over MPI's own calls is off, and by which clock it goes.
#pragma once

namespace nearfar {

/// From now on only where NEARFAR_WATCHDOG is set: in programs that do not know of us a rank may be late for hours. Local.
void watch_mpi_only_if_asked() noexcept;

/// How the watchdog's thread tells the time, and how it lets it pass between two looks at the calls.
struct watchdog_clock {
  double (*now_s)();
  void (*sleep)(double seconds);
};
/// The process's: the monotonic clock. A test may put another there before the first call, and say when a look is due.
watchdog_clock& clock_of_watchdog() noexcept;

}  // namespace nearfar
