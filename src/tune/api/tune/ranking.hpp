// SPDX-License-Identifier: BSD-3-Clause
// The ranking: results of successive races of the same candidates, the choice from them, and when the next race is due.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tuner.hpp"

namespace nearfar::tune {

/// NEARFAR_TUNE_AGAIN: false where the first race of a choice is to be the last. Local. @throws usage_error for a value
/// that is none
bool are_races_repeated();

/// doubling: from what a short race costs to sixty-four times that. steady: at once of the full length.
enum class pauses { doubling, steady };

/// Machines change while programs run: cores are given to others, clocks and memory slow down. A choice is therefore
/// looked at again, first after as much time as a short race takes, then after twice as much, and so on, up to
/// sixty-four times, which is where it stays: a share of 1.5 %. Short races are held among those that were near the
/// best, every eighth is one of all candidates.
///
/// Candidates are compared by the median, over their latest five races, of their time as a multiple of the best one's
/// in the same race. Made from reduced figures and counts of calls alone, so that all ranks decide alike; local.
class ranking {
 public:
  /// `budget_s`: of a race of all candidates.
  ranking(double hysteresis, double budget_s) : hysteresis_(hysteresis), full_budget_s_(budget_s) {}

  /// Takes in a race of those that were wanted. `cost_s`: what it took with all that belongs to it, the same on all
  /// ranks.
  void note(const decision& race, double cost_s);

  /// Who should be taken where `now` is: the plain method unless another is faster by the hysteresis, and `now` itself
  /// unless it is slower than the plain method or than another by the hysteresis. `without` is left out of account.
  /// After at least one race.
  std::string best(std::string_view now, std::string_view without = "") const;

  int races() const noexcept { return noted_; }  ///< noted so far

  bool is_wanted(std::string_view name) const;  ///< in the next race
  double budget_s() const;                      ///< of the next race

  double seconds_of(std::string_view name) const;  ///< per call, in the latest race that it took part in; 0 without one

  /// How many calls, each of `call_s`, should pass before the next race; at least one.
  std::int64_t calls_until_next(double call_s, pauses how = pauses::doubling) const;

 private:
  struct entry {
    std::string name;
    bool is_yardstick = false;
    int latest = 0;                 // the number of its latest race
    double seconds = 0;             // in that one
    std::vector<double> multiples;  // of the best one's time, latest last
    double typical() const;
  };
  const entry* find(std::string_view name) const;
  bool is_next_full() const;

  double hysteresis_, full_budget_s_;
  std::vector<entry> entries_;
  int noted_ = 0, turn_ = 0;  // races, and the same with those that were left out
  double full_cost_s_ = 0,
         short_cost_s_ = 0;  // of the latest race of all, and of the latest short one or what it should cost
};

}  // namespace nearfar::tune
