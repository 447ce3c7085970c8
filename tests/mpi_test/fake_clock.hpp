// SPDX-License-Identifier: BSD-3-Clause
// Clocks for tests that hold races: for modules that see tune.
#pragma once

#include <cstdint>
#include <tune/race_clock.hpp>

namespace nearfar::test {

/// A unit of time whose sums and multiples are exact, so that tests may ask for equality.
inline constexpr double binary_ms = 0x1p-10;

/// While it lives, the time of this process's races is what the test makes it: nothing else passes.
class fake_clock {
 public:
  fake_clock() {
    now() = 0;
    tune::race_clock = [] { return now(); };
  }
  ~fake_clock() { tune::race_clock = seconds_now; }
  fake_clock(const fake_clock&) = delete;
  fake_clock& operator=(const fake_clock&) = delete;

  void pass(double seconds) const { now() += seconds; }

 private:
  static double& now() {
    static double s = 0;
    return s;
  }
};

/// While it lives, time passes by the reading: what races measure are random numbers, of another sequence on each rank,
/// and a budget is a number of readings. All lie between 256 and 480 us, so that each run is a burst of its own and no
/// candidate is left out of later races for being slow.
class clock_by_readings {
 public:
  explicit clock_by_readings(int rank) {
    state() = static_cast<std::uint64_t>(rank) * 7919 + 1;
    now() = 0;
    tune::race_clock = [] {
      state() = state() * 6364136223846793005ULL + 1442695040888963407ULL;
      return now() += (256 + static_cast<double>(state() >> 33) * 0x1p-31 * 224) * 1e-6;
    };
  }
  ~clock_by_readings() { tune::race_clock = seconds_now; }
  clock_by_readings(const clock_by_readings&) = delete;
  clock_by_readings& operator=(const clock_by_readings&) = delete;

 private:
  static double& now() {
    static double s = 0;
    return s;
  }
  static std::uint64_t& state() {
    static std::uint64_t s = 1;
    return s;
  }
};

}  // namespace nearfar::test
