// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <base/env.hpp>
#include <base/numbers.hpp>
#include <cmath>
#include <limits>
#include <tune/ranking.hpp>

#include "median.hpp"

namespace nearfar::tune {
namespace {

constexpr std::size_t window = 5;      // races that count
constexpr int full_every = 8;          // races
constexpr double near_the_best = 2;    // times its time: has a place in short races
constexpr double yardstick_place = 8;  // the same for the plain method
constexpr double longest_pause = 64;   // times what a race takes
constexpr double least_call_s = 1e-7;
constexpr double short_share = 0.125;  // of a full race's budget
constexpr double least_rounds = 5;     // that the budget of a short race is made for

double least_of(const decision& race) {
  double least = std::numeric_limits<double>::max();
  for (const timing& t : race.tried) least = std::min(least, t.median_s);
  return least;
}

}  // namespace

bool are_races_repeated() { return env::integer_or("NEARFAR_TUNE_AGAIN", 1, 0, 1) != 0; }

double ranking::entry::typical() const { return median_of(multiples); }

const ranking::entry* ranking::find(std::string_view name) const {
  const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const entry& e) { return e.name == name; });
  return at == entries_.end() ? nullptr : &*at;
}

void ranking::note(const decision& race, double cost_s) {
  const double least_s = least_of(race);
  ++noted_;
  for (const timing& t : race.tried) {
    auto at = std::find_if(entries_.begin(), entries_.end(), [&](const entry& e) { return e.name == t.name; });
    if (at == entries_.end()) at = entries_.insert(entries_.end(), {t.name, t.is_yardstick, 0, 0, {}});
    at->seconds = t.median_s;
    if (at->latest != noted_ - 1) at->multiples.clear();  // the machine may have changed since
    at->latest = noted_;
    at->multiples.push_back(t.median_s / least_s);
    if (at->multiples.size() > window) at->multiples.erase(at->multiples.begin());
  }
  const bool was_full = is_next_full(), is_first = turn_ == 0;
  (was_full ? full_cost_s_ : short_cost_s_) = cost_s;
  ++turn_;
  const auto has_place = [&](const entry& e) { return is_wanted(e.name); };
  while (!is_next_full() && std::count_if(entries_.begin(), entries_.end(), has_place) < 2) ++turn_;
  if (is_first) short_cost_s_ = std::max(0.0, cost_s - race.spent_s) + budget_s();
}

std::string ranking::best(std::string_view now, std::string_view without) const {
  const entry *first = nullptr, *plain = nullptr;
  for (const entry& e : entries_) {
    if (e.name == without) continue;
    if (first == nullptr || e.typical() < first->typical()) first = &e;
    if (e.is_yardstick) plain = &e;
  }
  const auto is_clearly_faster = [&](const entry& a, const entry& b) {
    return a.typical() < (1 - hysteresis_) * b.typical();
  };
  const entry* held = find(now);
  const bool holds = held != nullptr && !held->is_yardstick && !is_clearly_faster(*first, *held) &&
                     (plain == nullptr || held->typical() <= plain->typical());
  if (holds) return held->name;
  return plain != nullptr && !is_clearly_faster(*first, *plain) ? plain->name : first->name;
}

bool ranking::is_next_full() const { return turn_ % full_every == 0; }

bool ranking::is_wanted(std::string_view name) const {
  const entry* e = find(name);
  if (e == nullptr || is_next_full()) return true;
  return e->typical() <= (e->is_yardstick ? yardstick_place : near_the_best);
}

double ranking::budget_s() const {
  if (is_next_full()) return full_budget_s_;
  double round_s = 0;
  for (const entry& e : entries_)
    if (is_wanted(e.name)) round_s += e.seconds;
  return std::min(full_budget_s_, std::max(short_share * full_budget_s_, least_rounds * round_s));
}

double ranking::seconds_of(std::string_view name) const {
  const entry* e = find(name);
  return e != nullptr ? e->seconds : 0;
}

std::int64_t ranking::calls_until_next(double call_s, pauses how) const {
  const double length = how == pauses::steady ? longest_pause : std::min(longest_pause, std::exp2(turn_ - 1));
  const double pause_s = (is_next_full() ? full_cost_s_ : short_cost_s_) * length;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::llround(pause_s / std::max(call_s, least_call_s))));
}

}  // namespace nearfar::tune
