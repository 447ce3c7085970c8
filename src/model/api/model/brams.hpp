// SPDX-License-Identifier: BSD-3-Clause
// Souza, Panetta and Stephany's table of BRAMS by messages and by shared windows, predicted from two of its rows.
#pragma once

#include <model/machine.hpp>
#include <model/simulation.hpp>
#include <string>
#include <vector>

namespace nearfar::model {

/// A row as published: seconds for 1440 steps of a grid of 100 x 100 columns.
struct brams_row {
  int ranks = 1, per_node = 1;
  double hybrid_s = 0, plain_s = 0;  ///< 0: not published
};
const std::vector<brams_row>& brams_rows();

/// What two rows tell: a step takes `serial_ms` whatever the ranks, `column_ms` per column of the busiest rank, and
/// with barriers `barrier_ms` of waiting where all cores of a node are taken, a share of it where some are spare.
struct brams_fit {
  double serial_ms = 0, column_ms = 0, barrier_ms = 0;
  machine where;  ///< without interruptions, whose cost is in these numbers
};

/// Of a leapfrog step with four acoustic steps.
int exchanges_of_a_brams_step();

/// @throws usage_error  rows that are not in the table, or twice the same
brams_fit fit_brams(const machine& m, std::size_t first, std::size_t second);

/// Seconds of a row as predicted.
struct brams_prediction {
  prediction plain_s, hybrid_s, nearfar_s;  ///< in microseconds' place: seconds
  std::string lever;                        ///< what makes Nearfar's exchanges the quickest
  double output_s = 0;                      ///< of nearfar_s without the serial part that output could hide at most
  long long plan_bytes = 0;                 ///< of the busiest rank's halo plans
};
brams_prediction predict_brams(const brams_fit& fit, int ranks, int per_node, int runs);

/// Spearman's.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace nearfar::model
