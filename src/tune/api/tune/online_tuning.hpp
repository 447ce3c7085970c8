// SPDX-License-Identifier: BSD-3-Clause
// Online tuning, races among a program's own calls: which call uses which candidate, and the choice from what all ranks
// measured.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ranking.hpp"

namespace nearfar::tune {

/// For candidates that give the same result and that each rank may change between without asking the others: no call is
/// made that the program has not asked for, and nobody waits. A race is a few calls with each candidate, of which the
/// first does not count; ranks measure their own work in them, tell each other (however their owner does that), and
/// decide from the most of any rank. Races follow each other after pauses of 64 times what they cost, for which three
/// times the time of calls with others than the candidate in use is taken: they leave caches that the next calls pay
/// for. Candidates are judged by several races (see ranking).
///
/// All ranks count the same calls, so that they race in the same ones; one that hears of a verdict late follows it late
/// and joins the next race where that is. Local.
class online_tuning {
 public:
  static constexpr std::size_t most = 3;  ///< candidates

  /// Seconds per call by candidate: of what goes out and of what comes in, on one rank or the most of any. 0: nothing
  /// was measured; not finite: it could not be carried out.
  struct figures {
    std::array<float, most> out{}, in{};
    void include(const figures& other) noexcept;
  };

  /// `now`: the candidate in use, a place among at most `most` names, the same on all ranks.
  online_tuning(std::vector<std::string> names, std::size_t now);

  /// Counts a call and says which candidate it should use.
  std::size_t next() noexcept {
    is_timed_ = false;
    return ++call_ < begin_ ? now_ : next_in_race();
  }
  bool is_timed() const noexcept { return is_timed_; }         ///< this call is to be measured
  bool is_resting() const noexcept { return call_ < begin_; }  ///< no race is on, and no verdict due
  std::size_t now() const noexcept { return now_; }
  int races() const noexcept { return race_; }  ///< decided so far

  /// What this call took, by the candidate that it used.
  void note(std::size_t who, double out_s, double in_s) noexcept;

  /// True once for each race: this rank's part of it is over, and the others want mine().
  bool has_news() noexcept;
  figures mine() const noexcept;

  /// True while settle() is wanted: some calls after the race, which all ranks have then most likely been through.
  bool awaits_verdict() const noexcept;
  /// `all`: of all ranks. True where the candidate in use is another one now.
  bool settle(const figures& all);

 private:
  static constexpr int warm_calls = 1, timed_calls = 3, calls_each = warm_calls + timed_calls;
  struct samples {
    std::array<float, timed_calls> out{}, in{};
    int count = 0;
  };
  std::int64_t end() const noexcept { return begin_ + static_cast<std::int64_t>(in_race_) * calls_each; }
  std::size_t next_in_race() noexcept;
  void draw_up();
  double cost_of(const figures& all) const;

  std::vector<std::string> names_;
  ranking seen_;
  std::size_t now_;
  bool is_timed_ = false, has_told_ = false;
  int race_ = 0;
  std::int64_t call_ = 0, begin_;  // begin_: the first call of this race or of the next
  std::size_t in_race_ = 0;
  std::array<std::size_t, most> order_{};
  std::array<samples, most> taken_{};
};

}  // namespace nearfar::tune
