// SPDX-License-Identifier: BSD-3-Clause
// Which of two ways is quicker, found out while the program runs.
#pragma once

#include <algorithm>
#include <array>
#include <base/numbers.hpp>
#include <bit>
#include <chrono>

namespace nearfar::threads {

/// Two ways that give the same; which is quicker depends on what the program does with its data between calls and on
/// which caches the processors share, and both may change. Way 0 comes first; from time to time a few calls go the
/// other way, and the quicker one stays. For one thread.
class way_trials {
 public:
  static constexpr int period = 1000;  ///< calls
  static constexpr int trial_calls =
      6;  ///< of these; the first finds the caches as the former way left them and does not count

  int way() const noexcept { return is_trial() ? 1 - best_ : best_; }
  /// Is note() wanted for this call?
  bool is_timed() const noexcept { return is_trial() ? at_ > 0 : at_ >= period - samples; }
  void note(double seconds) noexcept {
    (is_trial() ? others_s_ : best_s_)[as_size(is_trial() ? at_ - 1 : at_ - (period - samples))] = seconds;
  }
  /// The call is over.
  void advance() noexcept {
    if (++at_ == trial_calls) choose();
    if (at_ == period) at_ = 0;
  }

 private:
  static constexpr int samples = trial_calls - 1;
  static constexpr double clearly = 0.95;
  using times = std::array<double, samples>;

  bool is_trial() const noexcept { return at_ < trial_calls; }
  // Not the least: the first calls after a pause find other caches than those that follow.
  static double median(times& t) noexcept {
    std::nth_element(t.begin(), t.begin() + samples / 2, t.end());
    return t[samples / 2];
  }
  void choose() noexcept {
    if (median(others_s_) < clearly * median(best_s_)) best_ = 1 - best_;
  }

  int at_ = period - trial_calls, best_ = 0;
  times best_s_{}, others_s_{};
};

/// By powers of two of the bytes of a call. Thread 0's; it tells the others which way to go.
using ways_by_size = std::array<way_trials, 64>;

/// One call of thread `me`: on thread 0 it asks for the way and says how long that took; elsewhere it does nothing.
class timed_way {
 public:
  timed_way(ways_by_size& all, int me, index_t bytes) noexcept
      : trials_(me == 0 ? &all[std::bit_width(static_cast<std::uint64_t>(bytes))] : nullptr) {}
  int wish() const noexcept { return trials_ != nullptr ? trials_->way() : 0; }
  template <class Step>
  void run(Step step) {
    using clock = std::chrono::steady_clock;
    const bool is_timed = trials_ != nullptr && trials_->is_timed();
    const auto begin = is_timed ? clock::now() : clock::time_point{};
    step();
    if (is_timed) trials_->note(std::chrono::duration<double>(clock::now() - begin).count());
    if (trials_ != nullptr) trials_->advance();
  }

 private:
  way_trials* trials_;
};

}  // namespace nearfar::threads
