// SPDX-License-Identifier: BSD-3-Clause
// Chooses the policy and the number of writers with the least time per step, on the first steps of the program.
#pragma once

#include <string>
#include <vector>

#include "ring.hpp"

namespace nearfar::output {

const char* name_of(taker who) noexcept;

/// A method of writing: who does it, and how many of them on each node.
struct writing_method {
  taker who = taker::caller;
  int writers = 1;
};

/// Two races, one after the other: of those who may write, with the first number of writers; of the numbers, with who
/// has won. Each has blocks of steps, one per candidate and round. A block's first steps fill the ring and do not
/// count; then the time from step to step does. The second round is for those that the first has not shown to be much
/// slower than the best: steps of a slow method are lost time. Local; the owner says what the slowest rank needed.
class policy_tuner {
 public:
  policy_tuner() = default;
  /// Neither list is empty; with one of each there is nothing to try.
  policy_tuner(std::vector<taker> who, std::vector<int> writers, int depth);

  bool is_on() const noexcept { return at_race_ < races_.size(); }
  writing_method now() const noexcept { return now_; }
  /// A step begins. True: this block is over, call next() with the slowest rank's figure for seconds().
  bool note_step(double now_s) noexcept;
  double seconds() const noexcept { return latest_s_; }  ///< per step in the block that is over, on this rank
  /// Goes on to the next candidate, or to the one that has won: a race's first one unless another needs 2 % less.
  void next(double slowest_s) noexcept;
  std::string describe() const;

 private:
  static constexpr int rounds = 2, counted = 2;
  struct race {
    std::vector<writing_method> candidates;
    std::vector<double> best_s;
  };
  int lead_in() const noexcept;
  std::size_t winner() const noexcept;
  bool is_in_the_running(std::size_t candidate) const noexcept;
  void take_next_candidate() noexcept;
  void begin_race(std::size_t number) noexcept;
  static std::string words_of(const race& r, bool is_of_writers);

  std::vector<race> races_;
  std::size_t at_race_ = 0, at_ = 0;
  writing_method now_;
  bool has_numbers_ = false;  // the last race is one of numbers
  int depth_ = 1, round_ = 0, steps_ = 0;
  double counted_from_s_ = 0, latest_s_ = 0;
};

}  // namespace nearfar::output
