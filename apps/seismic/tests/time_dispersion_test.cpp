// SPDX-License-Identifier: BSD-3-Clause
// Oscillators that the leap-frog steps, driven and recorded through the maps of frequencies, against formulas.
#include <gtest/gtest.h>
#include <cmath>
#include <complex>
#include <numbers>
#include <wavelet/time_dispersion.hpp>

namespace seismic {
namespace {

using std::numbers::pi;

constexpr double peak_hz = 15, delay_s = 0.1;

/// u of u_tt = c^2 u_xx + s(t) delta(x) on a ring, all waves that it has: derivatives are exact, time goes by steps.
class ring {
 public:
  static constexpr double c = 2000, length_m = 10000;
  static constexpr int waves = 320;  // up to 64 Hz

  ring(double dt_s, int every) : dt_s_(dt_s), every_(every) {}

  std::vector<float> recorded(const wavelet& s, double place_m, int steps) const {
    std::vector<double> now(waves), before(waves), shape(waves);
    for (int k = 0; k < waves; ++k) shape[at(k)] = (k == 0 ? 1 : 2) / length_m * std::cos(wave(k) * place_m);
    std::vector<float> trace;
    for (int n = 0; n <= steps; ++n) {
      double sum = 0;
      const double drive = s.at(n * dt_s_);
      for (int k = 0; k < waves; ++k) {
        sum += shape[at(k)] * now[at(k)];
        const double next =
            2 * now[at(k)] - before[at(k)] + dt_s_ * dt_s_ * (drive - std::pow(c * wave(k), 2) * now[at(k)]);
        before[at(k)] = now[at(k)], now[at(k)] = next;
      }
      if (n % every_ == 0) trace.push_back(static_cast<float>(sum));
    }
    return trace;
  }
  /// Relative L2, while no wave has gone around: half the integral of the wavelet over c.
  double error_of(const std::vector<float>& trace, double place_m) const {
    double off = 0, all = 0;
    for (std::size_t n = 0; n < trace.size(); ++n) {
      const double t = static_cast<double>(n) * every_ * dt_s_ - place_m / c - delay_s;
      const double should = t * std::exp(-std::pow(pi * peak_hz * t, 2)) / (2 * c);
      off += std::pow(static_cast<double>(trace[n]) - should, 2), all += should * should;
    }
    return std::sqrt(off / all);
  }
  double error(double place_m, double end_s, bool is_corrected) const {
    std::shared_ptr<const wavelet> s = ricker_wavelet(peak_hz, delay_s);
    if (is_corrected) s = for_steps(s, dt_s_);
    const double behind_s = is_corrected ? dispersion_map::reach_s(dt_s_, end_s) : 0;
    std::vector<float> trace = recorded(*s, place_m, static_cast<int>(std::lround((end_s + behind_s) / dt_s_)));
    if (is_corrected)
      dispersion_map(dispersion_map::direction::from_steps, dt_s_, every_ * dt_s_, 0, trace.size())(std::span(trace));
    trace.resize(static_cast<std::size_t>(end_s / (every_ * dt_s_) + 1e-6) + 1);
    return error_of(trace, place_m);
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  static double wave(int k) { return 2 * pi * k / length_m; }
  double dt_s_;
  int every_;
};

TEST(TimeDispersion, is_taken_out_of_wavelets_and_traces) {
  EXPECT_GT(ring(0.0025, 1).error(3000, 1.9, false), 0.3);
  for (const auto& [dt_s, every] : {std::pair{0.0025, 1}, {0.0025, 3}, {0.001, 4}, {0.004, 1}})
    EXPECT_LT(ring(dt_s, every).error(3000, 1.9, true), 2e-3) << dt_s << ' ' << every;
}

/// A wave that is just passing when the run ends.
TEST(TimeDispersion, an_end_within_a_wave_has_no_echo) {
  const double far = 3000, middle = far / ring::c + delay_s;
  for (const double end : {middle - 0.01, middle + 0.015})
    EXPECT_LT(ring(0.0025, 1).error(far, end, true), 1e-2) << end;
}

TEST(TimeDispersion, maps_undo_each_other) {
  const auto w = ricker_wavelet(peak_hz, 0.4);
  std::vector<double> series, should;
  for (int n = 0; n < 400; ++n) should.push_back(w->at(0.1 + 0.002 * n));
  series = should;
  dispersion_map(dispersion_map::direction::to_steps, 0.002, 0.002, 0.1, 400)(std::span(series));
  EXPECT_GT(std::abs(series[150] - should[150]), 1e-3);
  dispersion_map(dispersion_map::direction::from_steps, 0.002, 0.002, 0.1, 400)(std::span(series));
  for (std::size_t n = 0; n < 400; ++n) EXPECT_NEAR(series[n], should[n], 1e-5) << n;
}

TEST(TimeDispersion, series_of_one_sample_and_of_none_but_zeros_are_kept) {
  std::vector<float> zeros(7), one(1);
  dispersion_map(dispersion_map::direction::from_steps, 0.002, 0.002, 0, 7)(std::span(zeros));
  dispersion_map(dispersion_map::direction::from_steps, 0.002, 0.002, 0, 1)(std::span(one));
  EXPECT_EQ(zeros, std::vector<float>(7));
  EXPECT_EQ(one, std::vector<float>(1));
}

/// (7 / 4) of the square of the peak frequency is what the spectrum of a Ricker wavelet weighs.
TEST(TimeDispersion, a_step_stands_for_a_later_time) {
  const std::vector<std::shared_ptr<const wavelet>> all{ricker_wavelet(peak_hz, delay_s)};
  EXPECT_NEAR(time_stretch(all, 0.001), 1 + 7.0 / 4 * std::pow(2 * pi * peak_hz * 0.001, 2) / 24, 1e-5);
  EXPECT_EQ(time_stretch({}, 0.001), 1);
}

TEST(TimeDispersion, a_wavelet_for_steps_is_earlier_and_0_around_itself) {
  const std::shared_ptr<const wavelet> w = ricker_wavelet(peak_hz, delay_s);
  const auto steps = for_steps(w, 0.002);
  EXPECT_EQ(steps->at(-1), 0);
  EXPECT_EQ(steps->at(10), 0);
  EXPECT_EQ(steps->highest_frequency_hz(), w->highest_frequency_hz());
  EXPECT_GT(steps->at(0.096), steps->at(0.104));
  EXPECT_NEAR(steps->at(0.1), 1, 0.01);
}

}  // namespace
}  // namespace seismic
