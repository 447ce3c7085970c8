// SPDX-License-Identifier: BSD-3-Clause
// The race of candidates. All ranks decide alike, since they use reduced times only.
#include <algorithm>
#include <array>
#include <base/numbers.hpp>
#include <base/own_fp_environment.hpp>
#include <cmath>
#include <nearfar/error.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <tune/race_clock.hpp>
#include <tune/tuner.hpp>

#include "median.hpp"

namespace nearfar::tune {
namespace {

constexpr double burst_s = 200e-6;
constexpr double most_runs = 10'000;
constexpr int short_burst = 32;         // runs; in longer ones the first does not matter
constexpr double warmup_share = 0.125;  // of the budget: beyond it, rounds count as soon as bursts are timed
constexpr int rounds_before_dropping = 4;
constexpr double far_behind = 2;
constexpr double hopeless = 8;
constexpr double hopeless_at_once = 3;     // where rounds are long
constexpr double long_round_share = 0.25;  // of the budget
constexpr std::size_t samples_of_median = 3;
constexpr int stable_rounds = 5;
constexpr double clear_lead = 1.05;
constexpr int patient_rounds = 30;
constexpr double longest_overtime = 4;  // times the budget
constexpr int rounds_before_duel = 8;
constexpr double out_of_duel = 1.2;

struct runner {
  const candidate* who = nullptr;
  std::vector<double> times;  // seconds per run, one per counted round
  double fastest_s = 0;       // of all rounds, warm-up included: what burst lengths are made of
  double median_s = 0;
  bool is_racing = true;

  double runs_per_burst() const {
    return fastest_s > 0 ? std::clamp(std::ceil(burst_s / fastest_s), 1.0, most_runs) : 1;
  }
};

// The value that `share` of the others lie below.
double quantile_of(std::vector<double> values, double share) {
  const auto last = static_cast<double>(values.size() - 1);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::round(share * last));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// On a busy machine medians of few rounds say little: the bulk of one's times must lie above the bulk of the other's.
bool is_surely_slower(const runner& slow, const runner& fast) {
  return !slow.times.empty() && !fast.times.empty() && quantile_of(slow.times, 0.25) > quantile_of(fast.times, 0.75);
}

class contest {
 public:
  contest(const team& members, const std::vector<candidate>& candidates, const race_options& options)
      : comm_(members.comm()), options_(options), begin_(race_clock()) {
    for (const candidate& c : candidates) runners_.emplace_back().who = &c;
  }

  decision run() {
    while (true) {
      time_round();
      if (is_over()) break;
      drop_stragglers();
    }
    return verdict();
  }

 private:
  bool counts(int round) const { return round > 0 && (round > 1 || spent_s_ > warmup_share * options_.budget_s); }

  void time_round() {
    const bool is_counted = counts(round_);
    std::vector<double> figures(runners_.size() + 1);
    // A different order in each round: what a candidate leaves in the caches is not always met by the same one.
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      const std::size_t at = (i + static_cast<std::size_t>(round_)) % runners_.size();
      if (runners_[at].is_racing) figures[at] = time_burst(runners_[at]);
    }
    figures.back() = race_clock() - begin_;
    watched_mpi("MPI_Allreduce", [&] {
      return MPI_Allreduce(MPI_IN_PLACE, figures.data(), checked_int(as_index(figures.size()), "number of candidates"),
                           MPI_DOUBLE, MPI_MAX, comm_);
    });
    for (std::size_t at = 0; at < runners_.size(); ++at)
      if (runners_[at].is_racing) note(runners_[at], figures[at] + runners_[at].who->overhead_s, is_counted);
    spent_s_ = figures.back();
    ++round_;
    follow_leader();
  }

  double time_burst(const runner& r) const {
    const auto runs = static_cast<int>(r.runs_per_burst());
    if (runs == 1) return time_long_run(r);
    watched_mpi("MPI_Barrier", [&] { return MPI_Barrier(comm_); });
    if (runs <= short_burst) run_once(r);  // brings ranks into step, as calls one after the other do
    if (!r.who->prepare) {
      const double begin = race_clock();
      for (int i = 0; i < runs; ++i) r.who->run();
      return (race_clock() - begin) / runs;
    }
    double seconds = 0;
    for (int i = 0; i < runs; ++i) {
      const double before = race_clock();
      r.who->prepare();
      const double begin = r.who->is_preparing_timed ? before : race_clock();
      r.who->run();
      seconds += race_clock() - begin;
    }
    return seconds / runs;
  }

  // What a rank prepares for an operation this long may take longer than another's: that would be measured as a wait
  // for it. Where it is timed it comes after the run, and so before the next candidate's: it pays for what this one
  // left in peers' caches.
  double time_long_run(const runner& r) const {
    if (r.who->prepare && !r.who->is_preparing_timed) r.who->prepare();
    watched_mpi("MPI_Barrier", [&] { return MPI_Barrier(comm_); });
    const double begin = race_clock();
    r.who->run();
    if (r.who->prepare && r.who->is_preparing_timed) r.who->prepare();
    return race_clock() - begin;
  }

  static void run_once(const runner& r) {
    if (r.who->prepare) r.who->prepare();
    r.who->run();
  }

  // A warm-up time stands as the median until a counted one replaces it. Of one or two the least counts: a rank that
  // lost its core for a while would decide otherwise.
  static void note(runner& r, double seconds, bool is_counted) {
    r.fastest_s = r.fastest_s > 0 ? std::min(r.fastest_s, seconds) : seconds;
    if (is_counted) r.times.push_back(seconds);
    if (r.times.empty())
      r.median_s = seconds;
    else
      r.median_s =
          r.times.size() < samples_of_median ? *std::min_element(r.times.begin(), r.times.end()) : median_of(r.times);
  }

  const runner& fastest() const {
    return *std::min_element(runners_.begin(), runners_.end(),
                             [](const runner& a, const runner& b) { return a.median_s < b.median_s; });
  }

  const runner& leader() const {
    const runner& best = fastest();
    const auto yardstick =
        std::find_if(runners_.begin(), runners_.end(), [](const runner& r) { return r.who->is_yardstick; });
    if (yardstick == runners_.end() || best.median_s < (1 - options_.hysteresis) * yardstick->median_s) return best;
    return *yardstick;
  }

  void follow_leader() {
    const runner& now = leader();
    if (now.times.empty()) return;  // warm-up rounds say nothing about who leads
    rounds_led_ = &now == last_leader_ ? rounds_led_ + 1 : 1;
    last_leader_ = &now;
  }

  bool has_clear_lead(const runner& first) const {
    return std::all_of(runners_.begin(), runners_.end(), [&](const runner& r) {
      const bool is_out = &r == &first || !r.is_racing;
      return is_out || (r.median_s > clear_lead * first.median_s && is_surely_slower(r, first));
    });
  }

  double next_round_s() const {
    double seconds = 0;
    for (const runner& r : runners_)
      if (r.is_racing) seconds += r.runs_per_burst() * r.median_s;
    return seconds;
  }

  double allowance_s() const {
    const bool has_overtime = as_index(fastest().times.size()) < options_.least_rounds;
    return has_overtime ? longest_overtime * options_.budget_s : options_.budget_s;
  }

  bool is_over() const {
    if (spent_s_ + next_round_s() > allowance_s()) return true;
    if (options_.most_rounds > 0 && as_index(fastest().times.size()) >= options_.most_rounds) return true;
    if (spent_s_ < options_.least_share * options_.budget_s) return false;
    if (rounds_led_ >= patient_rounds) return true;
    return rounds_led_ >= stable_rounds && has_clear_lead(leader());
  }

  // The first run of a candidate may have made connections or mapped memory: it is held against it only where another
  // would take more than its part of the budget.
  bool is_known(const runner& r) const {
    return round_ > 1 || r.fastest_s * static_cast<double>(runners_.size()) > options_.budget_s;
  }

  void drop_stragglers() {
    const runner& best = fastest();
    const bool is_long = next_round_s() > long_round_share * options_.budget_s;
    for (runner& r : runners_) {
      // By the fastest rounds: a rank that lost its core for a while makes any candidate's round slow.
      const bool is_hopeless = is_long      ? is_known(r) && r.fastest_s > hopeless_at_once * best.fastest_s
                               : round_ > 2 ? r.fastest_s > hopeless * best.fastest_s
                                            : false;
      const bool is_behind = as_index(r.times.size()) >= rounds_before_dropping &&
                             r.fastest_s > far_behind * best.fastest_s && is_surely_slower(r, best);
      const bool is_out_of_duel = options_.least_share > 0 && as_index(r.times.size()) >= rounds_before_duel &&
                                  r.median_s > out_of_duel * best.median_s && is_surely_slower(r, best);
      if (is_hopeless || is_behind || is_out_of_duel) r.is_racing = false;
    }
  }

  decision verdict() const {
    const runner& winner = leader();
    decision d{winner.who->name, winner.median_s, spent_s_, {}};
    for (const runner& r : runners_) {
      const double minimum_s = r.times.empty() ? r.median_s : *std::min_element(r.times.begin(), r.times.end());
      const int samples = std::max(1, static_cast<int>(r.times.size()));
      d.tried.push_back({r.who->name, r.median_s, minimum_s, samples, !r.is_racing, r.who->is_yardstick});
    }
    return d;
  }

  MPI_Comm comm_;
  race_options options_;
  double begin_;
  double spent_s_ = 0;
  int round_ = 0;
  int rounds_led_ = 0;
  const runner* last_leader_ = nullptr;
  std::vector<runner> runners_;
};

// Ranks that race different candidates, or stop at different times, would wait for each other for ever.
race_options agreed_options(const team& members, const std::vector<candidate>& candidates, const race_options& wanted) {
  hash64 names;
  for (const candidate& c : candidates) names.add(c.name).add(c.is_yardstick ? 1 : 0);
  const std::array<std::int64_t, 2> mine{as_index(candidates.size()), static_cast<std::int64_t>(names.value())};
  require_same(members, "the list of candidates (their number, a hash of their names)", mine);
  if (candidates.empty()) throw usage_error("a race needs at least one candidate, and got none");
  std::array<double, 5> options{wanted.budget_s, wanted.hysteresis, static_cast<double>(wanted.most_rounds),
                                static_cast<double>(wanted.least_rounds), wanted.least_share};
  watched_mpi("MPI_Bcast", [&] { return MPI_Bcast(options.data(), 5, MPI_DOUBLE, 0, members.comm()); });
  return {options[0], options[1], static_cast<int>(options[2]), static_cast<int>(options[3]), options[4]};
}

}  // namespace

decision race(const team& members, const std::vector<candidate>& candidates, const race_options& options) {
  const own_fp_environment held;
  return contest(members, candidates, agreed_options(members, candidates, options)).run();
}

}  // namespace nearfar::tune
