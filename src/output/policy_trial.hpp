// SPDX-License-Identifier: BSD-3-Clause
// Which policy takes the least time per step: tried on the first steps of the program.
#pragma once

#include <string>
#include <vector>

#include "ring.hpp"

namespace nearfar::output {

const char* name_of(taker who) noexcept;

/// Blocks of steps, one per candidate and round. A block's first steps fill the ring and do not count; then the time from step to step
/// does. Local; the owner says what the slowest rank needed.
class policy_trial {
 public:
  policy_trial() = default;
  policy_trial(std::vector<taker> candidates, int depth);

  bool is_on() const noexcept { return !candidates_.empty() && !is_decided_; }
  taker now() const noexcept { return candidates_[at_]; }
  /// A step begins. True: this block is over, call next() with the slowest rank's figure for seconds().
  bool note_step(double now_s) noexcept;
  double seconds() const noexcept { return latest_s_; }  ///< per step in the block that is over, on this rank
  /// Goes on to the next candidate, or to the one that has won: the caller itself unless another needs 2 % less.
  void next(double slowest_s) noexcept;
  std::string describe() const;

 private:
  static constexpr int rounds = 2, counted = 2;
  int lead_in() const noexcept;
  std::vector<taker> candidates_;
  std::vector<double> best_s_;
  int depth_ = 1, round_ = 0, steps_ = 0;
  std::size_t at_ = 0;
  bool is_decided_ = false;
  double counted_from_s_ = 0, latest_s_ = 0;
};

}  // namespace nearfar::output
