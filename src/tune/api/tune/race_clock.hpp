// SPDX-License-Identifier: BSD-3-Clause
// The clock of races, which tests replace.
#pragma once

#include <base/clock.hpp>

namespace nearfar::tune {

/// Called to read the time of this process's races, in seconds that never go back. A test puts another clock here,
/// which its candidates or its readings alone move on: who wins, who is dropped and when a race ends is then known
/// beforehand, however busy the machine is. Not to be changed while a race is held.
inline double (*race_clock)() = seconds_now;

}  // namespace nearfar::tune
