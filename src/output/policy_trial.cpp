// SPDX-License-Identifier: BSD-3-Clause
// Counting steps, comparing times.
#include "policy_trial.hpp"

#include <algorithm>
#include <base/text.hpp>

namespace nearfar::output {

namespace {
constexpr double least_gain = 0.98;
}

const char* name_of(taker who) noexcept {
  switch (who) {
    case taker::caller:
      return "synchronous";
    case taker::thread:
      return "thread";
    case taker::process:
      return "writer";
  }
  return "";
}

policy_trial::policy_trial(std::vector<taker> candidates, int depth)
    : candidates_(std::move(candidates)), best_s_(candidates_.size(), 0), depth_(depth) {}

// Until the ring is full, steps go as fast as if there were no disk. The step that a block begins in is one of them.
int policy_trial::lead_in() const noexcept { return now() == taker::caller ? 0 : depth_; }

bool policy_trial::note_step(double now_s) noexcept {
  if (steps_ == lead_in()) counted_from_s_ = now_s;
  if (steps_++ < lead_in() + counted) return false;
  latest_s_ = (now_s - counted_from_s_) / counted;
  return true;
}

void policy_trial::next(double slowest_s) noexcept {
  double& best = best_s_[at_];
  best = best == 0 ? slowest_s : std::min(best, slowest_s);
  steps_ = 0;
  if (++at_ < candidates_.size()) return;
  at_ = 0;
  if (++round_ < rounds) return;
  is_decided_ = true;
  for (std::size_t c = 1; c < candidates_.size(); ++c)
    if (best_s_[c] < (at_ == 0 ? least_gain : 1) * best_s_[at_]) at_ = c;
}

std::string policy_trial::describe() const {
  std::string words;
  for (std::size_t c = 0; c < candidates_.size(); ++c)
    words += text(c > 0 ? ", " : "", name_of(candidates_[c]), " ",
                  best_s_[c] > 0 ? readable_time(best_s_[c]) : "not measured");
  return text(is_decided_ ? "the least of " : "still trying: ", words, " per step");
}

}  // namespace nearfar::output
