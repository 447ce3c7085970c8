// SPDX-License-Identifier: BSD-3-Clause
// Online tuning between two methods.
#pragma once

#include <array>
#include <base/numbers.hpp>
#include <bit>
#include <memory>
#include <tune/online_tuning.hpp>
#include <tune/race_clock.hpp>

namespace nearfar::threads {

/// Two methods that give the same; which is quicker depends on what the program does with its data between calls and on
/// which caches the processors share, and both may change. By powers of two of the bytes of a call. Thread 0's; it
/// tells the others which method to use.
using tuners_by_size = std::array<std::unique_ptr<tune::online_tuning>, 64>;

/// One call of thread `me`: on thread 0 it asks for the method and says how long that took; elsewhere it does nothing.
class timed_method {
 public:
  timed_method(tuners_by_size& all, int me, index_t bytes) {
    if (me != 0) return;
    auto& of_size = all[std::bit_width(static_cast<std::uint64_t>(bytes))];
    if (!of_size) of_size = std::make_unique<tune::online_tuning>(std::vector<std::string>{"first", "second"}, 0);
    races_ = of_size.get();
    wish_ = races_->next();
  }
  int wish() const noexcept { return static_cast<int>(wish_); }
  template <class Step>
  void run(Step step) {
    const bool is_timed = races_ != nullptr && races_->is_timed();
    const double begin_s = is_timed ? tune::race_clock() : 0;
    step();
    if (is_timed) races_->note(wish_, tune::race_clock() - begin_s, 0);
    if (races_ != nullptr && !races_->is_resting()) decide();
  }

 private:
  // Thread 0 alone measures: there is nobody to wait for.
  void decide() {
    races_->has_news();
    if (races_->awaits_verdict()) races_->settle(races_->mine());
  }

  tune::online_tuning* races_ = nullptr;
  std::size_t wish_ = 0;
};

}  // namespace nearfar::threads
