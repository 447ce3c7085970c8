// SPDX-License-Identifier: BSD-3-Clause
// Counts steps and compares times.
#include "policy_tuner.hpp"

#include <algorithm>
#include <base/text.hpp>

namespace nearfar::output {

namespace {
constexpr double least_gain = 0.98;
constexpr double hopeless = 1.15;  // times the best: a second try does not make up for that
}  // namespace

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

policy_tuner::policy_tuner(std::vector<taker> who, std::vector<int> writers, int depth)
    : now_{who.front(), writers.front()}, has_numbers_(writers.size() > 1), depth_(depth) {
  race of_policies, of_numbers;
  for (const taker w : who) of_policies.candidates.push_back({w, writers.front()});
  for (const int n : writers) of_numbers.candidates.push_back({who.front(), n});
  if (who.size() > 1) races_.push_back(std::move(of_policies));
  if (has_numbers_) races_.push_back(std::move(of_numbers));
  for (race& r : races_) r.best_s.resize(r.candidates.size(), 0);
}

// Until the ring is full, steps go as fast as if there were no disk. The step that a block begins in is one of them.
int policy_tuner::lead_in() const noexcept { return now_.who == taker::caller ? 0 : depth_; }

bool policy_tuner::note_step(double now_s) noexcept {
  if (steps_ == lead_in()) counted_from_s_ = now_s;
  if (steps_++ < lead_in() + counted) return false;
  latest_s_ = (now_s - counted_from_s_) / counted;
  return true;
}

std::size_t policy_tuner::winner() const noexcept {
  const std::vector<double>& s = races_[at_race_].best_s;
  std::size_t best = 0;
  for (std::size_t c = 1; c < s.size(); ++c)
    if (s[c] < (best == 0 ? least_gain : 1) * s[best]) best = c;
  return best;
}

void policy_tuner::begin_race(std::size_t number) noexcept {
  at_race_ = number, at_ = 0, round_ = 0;
  if (!is_on()) return;
  for (writing_method& method : races_[at_race_].candidates) method.who = now_.who;
  now_ = races_[at_race_].candidates.front();
}

void policy_tuner::next(double slowest_s) noexcept {
  race& r = races_[at_race_];
  double& best = r.best_s[at_];
  best = best == 0 ? slowest_s : std::min(best, slowest_s);
  steps_ = 0;
  take_next_candidate();
  now_ = r.candidates[round_ < rounds ? at_ : winner()];
  if (round_ == rounds) begin_race(at_race_ + 1);
}

// In the first round all are; the second one needs two at least.
bool policy_tuner::is_in_the_running(std::size_t candidate) const noexcept {
  if (round_ == 0) return true;
  const std::vector<double>& s = races_[at_race_].best_s;
  const double most = hopeless * *std::min_element(s.begin(), s.end());
  return s[candidate] <= most && std::count_if(s.begin(), s.end(), [&](double t) { return t <= most; }) > 1;
}

void policy_tuner::take_next_candidate() noexcept {
  const std::size_t candidates = races_[at_race_].candidates.size();
  do {
    if (++at_ == candidates) at_ = 0, ++round_;
  } while (round_ < rounds && !is_in_the_running(at_));
}

std::string policy_tuner::words_of(const race& r, bool is_of_writers) {
  std::string words;
  for (std::size_t c = 0; c < r.candidates.size(); ++c) {
    const writing_method& method = r.candidates[c];
    words += text(c > 0 ? ", " : "");
    words += is_of_writers ? text(method.writers, method.writers == 1 ? " writer" : " writers", " per node")
                           : std::string(name_of(method.who));
    words += " " + (r.best_s[c] > 0 ? readable_time(r.best_s[c]) : "not measured");
  }
  return words;
}

std::string policy_tuner::describe() const {
  std::string words = is_on() ? "still trying: " : "the least of ";
  for (std::size_t i = 0; i < races_.size(); ++i)
    words += (i > 0 ? "; of " : "") + words_of(races_[i], has_numbers_ && i + 1 == races_.size());
  return words + " per step";
}

}  // namespace nearfar::output
