// SPDX-License-Identifier: BSD-3-Clause
// Races candidates against each other on the caller's own call, and lets all ranks agree on the winner.
#pragma once

#include <functional>
#include <nearfar/team.hpp>
#include <string>
#include <vector>

namespace nearfar::tune {

struct candidate {
  std::string name;
  std::function<void()> run;  ///< one whole operation; collective over the team
  bool is_yardstick = false;  ///< the plain way: it wins unless another is faster by the hysteresis
};

struct trial {
  std::string name;
  double median_s = 0, minimum_s = 0;  ///< of the maximum over ranks, per operation
  int samples = 0;                     ///< bursts measured
  bool was_dropped = false;            ///< left the race early because it was far behind
};

struct race_options {
  double budget_s = 0.5;
  double hysteresis = 0.03;
};

struct decision {
  std::string chosen;
  double seconds = 0;         ///< median of the chosen
  double spent_s = 0;         ///< what the race took
  std::vector<trial> tried;   ///< in the order of the candidates
};

/// Interleaved rounds of short bursts: in each round every candidate still in the race runs a burst after a barrier; a burst's time
/// is the maximum over ranks. Candidates twice as slow as the best after three rounds are dropped. Ends when the budget is
/// spent or the order has been stable for long enough. All ranks return the same decision. Collective over the team.
decision race(const team& members, const std::vector<candidate>& candidates, const race_options& options);

}  // namespace nearfar::tune
