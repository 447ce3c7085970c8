// SPDX-License-Identifier: BSD-3-Clause
// Times of operations of all ranks.
#pragma once

#include <algorithm>
#include <base/clock.hpp>
#include <functional>
#include <nearfar/team.hpp>
#include <vector>

namespace nearfar::command {

/// Microseconds of one of `times` runs, of the slowest rank. Collective.
inline double burst_us(const team& t, const std::function<void()>& run, int times) {
  MPI_Barrier(t.comm());
  const double begin = seconds_now();
  for (int i = 0; i < times; ++i) run();
  double mine = 1e6 * (seconds_now() - begin) / times, most = 0;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, t.comm());
  return most;
}

/// Runs that make a burst of a millisecond, of an operation that is carried out for the first time. Collective.
inline int runs_of_burst(const team& t, const std::function<void()>& run) {
  constexpr double burst_us_wanted = 1000, least_us = 0.1;
  constexpr int warm_up = 3;
  return std::max(1, static_cast<int>(burst_us_wanted / std::max(burst_us(t, run, warm_up), least_us)));
}

/// Whether bursts go on after so many, of which the last took so long. The same on all ranks.
class burst_budget {
 public:
  explicit burst_budget(double seconds) : left_us_(1e6 * seconds) {}
  bool goes_on(std::size_t samples) const {
    constexpr std::size_t least = 7, most = 2001;
    return samples < least || (left_us_ > 0 && samples < most);
  }
  void spend(double us) { left_us_ -= us; }

 private:
  double left_us_;
};

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace nearfar::command
