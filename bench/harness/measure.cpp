// SPDX-License-Identifier: BSD-3-Clause
// The measuring loop: calibration, interleaved rounds, statistics.
#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>

namespace bench {
namespace {

constexpr double long_s = 20e-3;  // operations that take longer are in step, and out of the caches, after one
constexpr int least_rounds = 5;
constexpr int most_rounds = 5000;

double max_over(MPI_Comm comm, double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm);
  return value;
}

bool all_agree(MPI_Comm comm, bool claim) {
  int verdict = claim ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &verdict, 1, MPI_INT, MPI_MIN, comm);
  return verdict == 1;
}

struct series {
  std::function<double(int)> burst;
  int iterations = 1;
  int warm_up = 2;                ///< iterations after the barrier: they bring ranks into step and lines into caches
  std::vector<double> seconds{};  ///< per iteration, one entry per round

  double sample(MPI_Comm comm) const {
    MPI_Barrier(comm);
    burst(warm_up);
    return burst(iterations) / iterations;
  }
};

void calibrate(MPI_Comm comm, double aim_s, series& s) {
  MPI_Barrier(comm);
  double once = max_over(comm, s.burst(1));
  if (once > long_s) {
    s.iterations = 1, s.warm_up = 1;
    return;
  }
  constexpr int tries = 3;  // the quickest: a rank that lost its core would make bursts too short
  for (int i = 0; i < tries; ++i) {
    MPI_Barrier(comm);
    s.burst(s.warm_up);
    once = std::min(once, max_over(comm, s.burst(4) / 4));
  }
  once = std::max(once, 1e-9);
  const double least = once < 1e-3 ? 10 : 2;
  s.iterations = static_cast<int>(std::clamp(aim_s / once, least, 50000.0));
}

bool goes_on(MPI_Comm comm, const options& how, double begin_s, int rounds) {
  if (rounds >= (how.max_rounds > 0 ? how.max_rounds : most_rounds)) return false;
  if (how.max_rounds > 0 && rounds < std::min(how.max_rounds, least_rounds)) return true;
  int more = rounds < least_rounds || now_s() - begin_s < how.case_s;
  MPI_Bcast(&more, 1, MPI_INT, 0, comm);
  return more != 0;
}

void run_rounds(MPI_Comm comm, const options& how, std::vector<series>& all) {
  std::mt19937 random(20240607);  // the same order on every rank
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double begin_s = now_s();
  for (int round = 0; goes_on(comm, how, begin_s, round); ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) all[i].seconds.push_back(all[i].sample(comm));
  }
  for (auto& s : all)
    MPI_Allreduce(MPI_IN_PLACE, s.seconds.data(), static_cast<int>(s.seconds.size()), MPI_DOUBLE, MPI_MAX, comm);
}

double quantile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

double median_of_every_second(const std::vector<double>& seconds, std::size_t first) {
  std::vector<double> half;
  for (std::size_t i = first; i < seconds.size(); i += 2) half.push_back(seconds[i]);
  std::sort(half.begin(), half.end());
  return quantile(half, 0.5);
}

measurement summarise(const contender& c, series& s, double floor_us) {
  const double halves_s[] = {median_of_every_second(s.seconds, 0), median_of_every_second(s.seconds, 1)};
  std::sort(s.seconds.begin(), s.seconds.end());
  measurement m{.method = c.name, .choice = c.choice ? c.choice() : "", .is_tuned = c.is_tuned, .setup_ms = c.setup_ms};
  m.median_us = quantile(s.seconds, 0.5) * 1e6 - floor_us;
  m.p10_us = quantile(s.seconds, 0.1) * 1e6 - floor_us;
  m.p90_us = quantile(s.seconds, 0.9) * 1e6 - floor_us;
  m.samples = static_cast<int>(s.seconds.size());
  for (int half : {0, 1}) m.halves_us[half] = halves_s[half] * 1e6 - floor_us;
  return m;
}

}  // namespace

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double timed_ms(MPI_Comm comm, const std::function<void()>& make) {
  MPI_Barrier(comm);
  const double begin = now_s();
  make();
  return max_over(comm, now_s() - begin) * 1e3;
}

case_result measure(MPI_Comm comm, const options& how, const subject& what, std::vector<contender>& contenders) {
  std::vector<bool> is_right;
  for (auto& c : contenders) is_right.push_back(all_agree(comm, c.check()));
  std::vector<series> all;
  for (auto& c : contenders) all.push_back({.burst = c.burst});
  const bool has_floor = what.floor && (how.clock == timing::loop || what.has_clock_floor);
  if (has_floor) all.push_back({.burst = what.floor});
  for (auto& s : all) calibrate(comm, how.burst_s, s);
  run_rounds(comm, how, all);

  case_result result{.name = what.name,
                     .bytes = what.bytes,
                     .bar = what.bar,
                     .floor_us = 0,
                     .methods = {},
                     .rivals = what.rivals,
                     .limit_us = what.limit_us,
                     .other = what.other,
                     .ours = what.ours};
  if (has_floor) {
    std::sort(all.back().seconds.begin(), all.back().seconds.end());
    // Local work, which disturbances only lengthen: a low quantile of it is its time even on a busy machine.
    result.floor_us = quantile(all.back().seconds, 0.25) * 1e6;
  }
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    result.methods.push_back(summarise(contenders[i], all[i], result.floor_us));
    long long heap_bytes = contenders[i].heap_bytes;
    MPI_Allreduce(&heap_bytes, &result.methods.back().heap_bytes, 1, MPI_LONG_LONG, MPI_MAX, comm);
    result.methods.back().is_right = all_agree(comm, contenders[i].check()) && is_right[i];
  }
  return result;
}

const measurement* case_result::find(const std::string& method) const {
  const auto at = std::find_if(methods.begin(), methods.end(), [&](const auto& m) { return m.method == method; });
  return at == methods.end() ? nullptr : &*at;
}

const measurement* case_result::best_of(const std::vector<std::string>& prefixes) const {
  const measurement* best = nullptr;
  for (const auto& m : methods) {
    const bool belongs =
        std::any_of(prefixes.begin(), prefixes.end(), [&](const auto& p) { return m.method.rfind(p, 0) == 0; });
    if (belongs && (!best || m.median_us < best->median_us)) best = &m;
  }
  return best;
}

double case_result::ratio(const std::string& ours) const { return ratio(rival{"", {"mpi-"}}, ours); }

double case_result::ratio(const rival& family, const std::string& ours) const {
  const measurement *best = best_of(family.prefixes), *tuned = find(ours);
  return best && tuned && tuned->median_us > 0 ? best->median_us / tuned->median_us : 0;
}

bool case_result::is_short() const {
  const double near = ratio(ours), own = ratio(other);
  const auto* tuned = find(ours);
  const auto is_below = [](double value, double least) { return value > 0 && value < least; };
  return is_below(near, bar) || (bar > 0 && is_below(own, 0.97)) ||
         (tuned && limit_us > 0 && tuned->median_us > limit_us) ||
         std::any_of(rivals.begin(), rivals.end(), [&](const rival& r) {
           return is_below(ratio(r, ours), r.bar) || is_below(ratio(r, other), r.other_bar);
         });
}

bool case_result::is_right() const {
  return std::all_of(methods.begin(), methods.end(), [](const auto& m) { return m.is_right; });
}

}  // namespace bench
