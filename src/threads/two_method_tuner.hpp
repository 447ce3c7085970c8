// SPDX-License-Identifier: BSD-3-Clause
// Which of two methods is quicker, found out while the program runs.
#pragma once

#include <algorithm>
#include <array>
#include <base/numbers.hpp>
#include <bit>
#include <chrono>

namespace nearfar::threads {

/// Two methods that give the same; which is quicker depends on what the program does with its data between calls and on
/// which caches the processors share, and both may change. Method 0 comes first; from time to time a few calls use the
/// other method, and the quicker one stays. For one thread.
class two_method_tuner {
 public:
  static constexpr int period = 1000;  ///< calls
  static constexpr int probe_calls =
      6;  ///< of these; the first finds the caches as the former method left them and does not count

  int method() const noexcept { return is_probe() ? 1 - best_ : best_; }
  /// Is note() wanted for this call?
  bool is_timed() const noexcept { return is_probe() ? at_ > 0 : at_ >= period - samples; }
  void note(double seconds) noexcept {
    (is_probe() ? others_s_ : best_s_)[as_size(is_probe() ? at_ - 1 : at_ - (period - samples))] = seconds;
  }
  /// The call is over.
  void advance() noexcept {
    if (++at_ == probe_calls) choose();
    if (at_ == period) at_ = 0;
  }

 private:
  static constexpr int samples = probe_calls - 1;
  static constexpr double clearly = 0.95;
  using times = std::array<double, samples>;

  bool is_probe() const noexcept { return at_ < probe_calls; }
  // Not the least: the first calls after a pause find other caches than those that follow.
  static double median(times& t) noexcept {
    std::nth_element(t.begin(), t.begin() + samples / 2, t.end());
    return t[samples / 2];
  }
  void choose() noexcept {
    if (median(others_s_) < clearly * median(best_s_)) best_ = 1 - best_;
  }

  int at_ = period - probe_calls, best_ = 0;
  times best_s_{}, others_s_{};
};

/// By powers of two of the bytes of a call. Thread 0's; it tells the others which method to use.
using tuners_by_size = std::array<two_method_tuner, 64>;

/// One call of thread `me`: on thread 0 it asks for the method and says how long that took; elsewhere it does nothing.
class timed_method {
 public:
  timed_method(tuners_by_size& all, int me, index_t bytes) noexcept
      : tuner_(me == 0 ? &all[std::bit_width(static_cast<std::uint64_t>(bytes))] : nullptr) {}
  int wish() const noexcept { return tuner_ != nullptr ? tuner_->method() : 0; }
  template <class Step>
  void run(Step step) {
    using clock = std::chrono::steady_clock;
    const bool is_timed = tuner_ != nullptr && tuner_->is_timed();
    const auto begin = is_timed ? clock::now() : clock::time_point{};
    step();
    if (is_timed) tuner_->note(std::chrono::duration<double>(clock::now() - begin).count());
    if (tuner_ != nullptr) tuner_->advance();
  }

 private:
  two_method_tuner* tuner_;
};

}  // namespace nearfar::threads
