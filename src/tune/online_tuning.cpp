// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <tune/online_tuning.hpp>

namespace nearfar::tune {

namespace {

constexpr double needed_gain = 0.05;
constexpr std::int64_t first_pause = 160, least_pause = 64;  // calls
constexpr std::int64_t patience = 16;                        // calls until all ranks have told what they measured
constexpr double aftermath =
    3;  // times its own time: what a call with another candidate costs with the caches that it leaves
constexpr double clocks_s = 3e-7;   // to measure a call
constexpr double impossible = 100;  // times the best: what cannot be carried out

double seconds_of(const online_tuning::figures& f, std::size_t who) { return f.out[who] + f.in[who]; }

template <std::size_t N>
float middle_of(std::array<float, N> values, int count) {
  if (count == 0) return 0;
  const auto last = values.begin() + count, at = values.begin() + count / 2;
  std::nth_element(values.begin(), at, last);
  return *at;
}

}  // namespace

void online_tuning::figures::include(const figures& other) noexcept {
  for (std::size_t i = 0; i < most; ++i) {
    out[i] = std::max(out[i], other.out[i]);
    in[i] = std::max(in[i], other.in[i]);
  }
}

online_tuning::online_tuning(std::vector<std::string> names, std::size_t now)
    : names_(std::move(names)), seen_(needed_gain, 0), now_(now), begin_(first_pause) {
  draw_up();
}

// In another order each time: what a candidate leaves in the caches is not always met by the same one.
void online_tuning::draw_up() {
  in_race_ = 0;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::size_t who = (i + static_cast<std::size_t>(race_)) % names_.size();
    if (who == now_ || seen_.is_wanted(names_[who])) order_[in_race_++] = who;
  }
  taken_ = {};
  has_told_ = false;
}

std::size_t online_tuning::next_in_race() noexcept {
  if (call_ >= end()) return now_;
  const std::int64_t at = call_ - begin_;
  is_timed_ = at % calls_each >= warm_calls;
  return order_[static_cast<std::size_t>(at / calls_each)];
}

void online_tuning::note(std::size_t who, double out_s, double in_s) noexcept {
  samples& s = taken_[who];
  if (s.count == timed_calls) return;
  s.out[static_cast<std::size_t>(s.count)] = static_cast<float>(out_s);
  s.in[static_cast<std::size_t>(s.count)] = static_cast<float>(in_s);
  ++s.count;
}

bool online_tuning::has_news() noexcept {
  if (has_told_ || call_ < end()) return false;
  return has_told_ = true;
}

online_tuning::figures online_tuning::mine() const noexcept {
  figures f;
  for (std::size_t i = 0; i < most; ++i) {
    f.out[i] = middle_of(taken_[i].out, taken_[i].count);
    f.in[i] = middle_of(taken_[i].in, taken_[i].count);
  }
  return f;
}

bool online_tuning::awaits_verdict() const noexcept { return has_told_ && call_ >= end() + patience; }

double online_tuning::cost_of(const figures& all) const {
  double cost_s = clocks_s * static_cast<double>(in_race_) * timed_calls;
  for (std::size_t i = 0; i < in_race_; ++i)
    if (const double s = seconds_of(all, order_[i]); order_[i] != now_ && std::isfinite(s))
      cost_s += aftermath * calls_each * s;
  return cost_s;
}

bool online_tuning::settle(const figures& all) {
  decision race;
  double least_s = 0;
  for (std::size_t i = 0; i < in_race_; ++i) {
    const double s = seconds_of(all, order_[i]);
    if (s <= 0) continue;
    race.tried.push_back({.name = names_[order_[i]], .median_s = s});
    if (std::isfinite(s)) least_s = least_s > 0 ? std::min(least_s, s) : s;
  }
  for (timing& t : race.tried)
    if (!std::isfinite(t.median_s)) t.median_s = impossible * least_s;
  const std::size_t before = now_;
  std::int64_t pause = first_pause;
  const double call_s = seconds_of(all, now_);
  if (race.tried.size() == in_race_ && least_s > 0 && std::isfinite(call_s)) {
    seen_.note(race, cost_of(all));
    const std::string best = seen_.best(names_[now_]);
    now_ = static_cast<std::size_t>(std::find(names_.begin(), names_.end(), best) - names_.begin());
    pause = std::max(least_pause, seen_.calls_until_next(call_s, pauses::steady));
  }
  begin_ = end() + pause;
  ++race_;
  draw_up();
  return now_ != before;
}

}  // namespace nearfar::tune
