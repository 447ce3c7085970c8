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
  bool is_yardstick = false;  ///< the plain method: it wins unless another is faster by the hysteresis
  /// Local work before each operation, not timed: what the caller does between operations and the operation pays for,
  /// such as writing the data anew (else peers' caches still hold it, and reading it in place looks cheaper than it
  /// is).
  std::function<void()> prepare = nullptr;
  double overhead_s = 0;  ///< that each operation costs in the program but not in the race; the same on all ranks
  /// Whether preparing is timed all the same: what one candidate leaves shared with peers' caches is taken back then,
  /// which takes long where cores are far apart, and another leaves nothing shared. An operation that fills a burst
  /// alone is prepared for the next one, after it, so that it pays for what it has left itself.
  bool is_preparing_timed = false;
};

struct timing {
  std::string name;
  double median_s = 0, minimum_s = 0;  ///< of the maximum over ranks, per operation
  int samples = 0;                     ///< bursts measured
  bool was_dropped = false;            ///< left the race early because it was far behind
  bool is_yardstick = false;
};

struct race_options {
  double budget_s = 0.5;
  double hysteresis = 0.03;
  int most_rounds = 0;  ///< that count; 0: any number
  /// That count even where they do not fit into the budget, up to four times the budget: long operations would be
  /// judged by one.
  int least_rounds = 0;
  /// Of the budget, before which no lead ends the race: rounds of short operations are over so soon that all of them
  /// may meet one disturbance. Where it is set, candidates that are behind by a fifth and by more than the noise after
  /// eight rounds leave the rest to the others.
  double least_share = 0;
};

struct decision {
  std::string chosen;
  double seconds = 0;         ///< median of the chosen
  double spent_s = 0;         ///< what the race took
  std::vector<timing> tried;  ///< in the order of the candidates
};

/// Interleaved rounds of short bursts: in each round every candidate still in the race runs a burst after a barrier; a
/// burst's time is the maximum over ranks, and the burst is long enough for the clock (about 200 us, at least one run).
/// The first rounds warm up and do not count unless the budget ends with them. Candidates whose fastest burst is twice
/// that of the best after four rounds are dropped, those at eight times after three (buffers of their own are touched
/// first, two in turn, in the first two); where a round takes a quarter of the budget those at three times are dropped
/// at once, so that the others have rounds enough. Of fewer than three samples the least stands for the median. The
/// race ends when the budget is spent and `least_rounds` are over, when the leader has been the same for five rounds
/// and leads by 5 % and by more than the noise (its upper quartile against the others' lower one), or when it has been
/// the same for thirty, and at `most_rounds`; not for a lead before `least_share` of the budget is spent. Nobody is
/// dropped by noise alone either. Every candidate has at least one sample. All ranks return the same decision; the
/// root's options count. What a candidate throws passes through: make it so that it throws on all ranks or on none.
/// Collective over the team.
/// @throws usage_error  on every rank: no candidates, or names that differ between ranks
/// @cost   one allreduce per round, one barrier per burst
decision race(const team& members, const std::vector<candidate>& candidates, const race_options& options);

}  // namespace nearfar::tune
