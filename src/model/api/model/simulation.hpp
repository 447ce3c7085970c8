// SPDX-License-Identifier: BSD-3-Clause
// Runs a program on a machine, rank by rank, and says how long it takes, with what varies drawn by fixed seeds.
#pragma once

#include <functional>
#include <model/machine.hpp>
#include <model/program.hpp>
#include <string>

namespace nearfar::model {

/// Something that a rank did.
struct event {
  int rank = 0;
  const operation* what = nullptr;
  double begin_us = 0, end_us = 0;
};

/// The end of the last rank, in microseconds. The same seed gives the same times; seed 0: nothing varies. `watch`, if
/// given, is told all that ranks do.
/// @throws usage_error  a program whose receives nobody sends for
double simulated_us(const program& p, const machine& m, std::uint64_t seed,
                    const std::function<void(const event&)>& watch = nullptr);

/// The mean of the ranks' ends: what a long run of the same steps grows by, without the wait for the last rank at its
/// end.
double simulated_mean_us(const program& p, const machine& m, std::uint64_t seed);

struct prediction {
  double median_us = 0, low_us = 0, high_us = 0;  ///< 5 % and 95 % of the runs
};

/// Of `runs` runs by the seeds 1, 2, 3 …
prediction predict(const program& p, const machine& m, int runs = 51);

/// Median and 5 and 95 per cent of values.
prediction quantiles(std::vector<double> values);

}  // namespace nearfar::model
