// SPDX-License-Identifier: BSD-3-Clause
// Wavelets against their formulas and their spectra.
#include <wavelet/integral.hpp>
#include <wavelet/resample.hpp>
#include <wavelet/source_wavelet.hpp>
#include <wavelet/wavelet.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>

#include "own_folder.hpp"

namespace seismic {
namespace {

using std::numbers::pi;
using testing::HasSubstr;

std::vector<double> samples_of(const wavelet& w, double interval_s, std::size_t count) {
  std::vector<double> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(w.at(static_cast<double>(i) * interval_s));
  return all;
}

/// A vector as NumPy writes it.
std::string npy_of(const std::vector<double>& values) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(values.size()) + ",), }";
  header.resize(117, ' ');
  header += '\n';
  const std::string sizes{static_cast<char>(header.size()), 0};
  return std::string("\x93NUMPY\x01\x00", 8) + sizes + header +
         std::string(reinterpret_cast<const char*>(values.data()), 8 * values.size());
}

TEST(Wavelet, ricker_has_its_peak_at_the_delay_and_zeros_beside) {
  const auto w = ricker_wavelet(20, 0.1);
  EXPECT_EQ(w->at(0.1), 1);
  EXPECT_NEAR(w->at(0.1 + 1 / (std::sqrt(2) * pi * 20)), 0, 1e-15);
  EXPECT_NEAR(w->at(0.1 - 0.013), w->at(0.1 + 0.013), 1e-15);
  EXPECT_LT(std::abs(ricker_wavelet(20, usual_ricker_delay_s(20))->at(0)), 1e-7);
}

/// Its formula, evaluated apart from this program with 30 digits.
TEST(Wavelet, fletcher_is_the_mini_apps) {
  const auto w = fletcher_wavelet();
  EXPECT_NEAR(w->at(0), -2.750567082166750772633e-5, 1e-18);
  EXPECT_NEAR(w->at(0.05), -0.3091158549922967723353, 1e-14);
  EXPECT_NEAR(w->at(0.1), 0.4348744197075527131032, 1e-14);
  const auto same = ricker_wavelet(40.0 / 3, 2 * std::sqrt(pi) / 40);
  for (const double t : {0.0, 0.001, 0.0886, 0.2, 0.5}) EXPECT_NEAR(w->at(t), same->at(t), 1e-13) << t;
}

TEST(Wavelet, energy_ends_where_the_spectrum_says) {
  const auto w = ricker_wavelet(10, 0.15);
  const double highest = w->highest_frequency_hz(1e-3), u = highest * highest / 100;
  EXPECT_NEAR(u * std::exp(1 - u), 1e-3, 1e-9);
  EXPECT_NEAR(highest_frequency_hz(samples_of(*w, 1e-3, 400), 1e-3, 1e-3), highest, 0.5);
  EXPECT_NEAR(fletcher_wavelet()->highest_frequency_hz(), 42.7, 0.1);
}

TEST(Wavelet, it_is_over_at_its_end) {
  for (const double later : {0.0, 0.01, 0.1}) {
    EXPECT_LT(std::abs(ricker_wavelet(25, 0.06)->at(ricker_wavelet(25, 0.06)->end_s() + later)), 1.1e-6);
    EXPECT_LT(std::abs(fletcher_wavelet()->at(fletcher_wavelet()->end_s() + later)), 1.1e-6);
  }
}

TEST(Wavelet, what_a_run_cuts_off_is_a_share_of_its_energy) {
  const cut_shares none = cut_of(*ricker_wavelet(15, 0.1), 0.2), half = cut_of(*ricker_wavelet(15, 0), 0.2),
                   late = cut_of(*ricker_wavelet(15, 0.2), 0.2);
  EXPECT_EQ(none.before, 0);
  EXPECT_EQ(none.behind, 0);
  EXPECT_NEAR(half.before, 0.5, 0.02);
  EXPECT_EQ(half.behind, 0);
  EXPECT_EQ(late.before, 0);
  EXPECT_NEAR(late.behind, 0.5, 0.02);
}

/// A last sample that is not zero has an echo beyond it, of as many samples as interpolation takes.
TEST(Wavelet, samples_are_over_at_their_end_and_not_before) {
  const auto s = sampled_wavelet({0, 1, 1}, 0.01, 0.2, "step");
  for (const double later : {1e-9, 0.005, 0.1}) EXPECT_EQ(s->at(s->end_s() + later), 0) << later;
  EXPECT_NE(s->at(s->end_s() - 0.005), 0);
  EXPECT_GT(s->end_s(), 0.22);
}

TEST(Wavelet, samples_are_met_and_between_them_the_function) {
  const auto w = ricker_wavelet(20, 0.1);
  const auto s = sampled_wavelet(samples_of(*w, 4e-3, 60), 4e-3, 0, "samples");
  EXPECT_EQ(s->at(0.1), w->at(0.1));
  for (double t = 0; t < 0.23; t += 0.00037) EXPECT_NEAR(s->at(t), w->at(t), 2e-5) << t;
  EXPECT_EQ(s->at(-1), 0);
  EXPECT_EQ(s->at(10), 0);
  EXPECT_NEAR(s->highest_frequency_hz(), w->highest_frequency_hz(), 1);
  EXPECT_NEAR(sampled_wavelet(samples_of(*w, 4e-3, 60), 4e-3, 0.5, "later")->at(0.6), w->at(0.1), 1e-12);
}

/// A sine of 0.75 of the Nyquist frequency, far from the ends.
TEST(Wavelet, interpolation_is_good_up_to_0_75_of_nyquist) {
  std::vector<double> samples;
  for (int i = 0; i < 200; ++i) samples.push_back(std::sin(0.75 * pi * i));
  const auto s = sampled_wavelet(samples, 1, 0, "sine");
  for (double t = 80; t < 120; t += 0.173) EXPECT_NEAR(s->at(t), std::sin(0.75 * pi * t), 1e-4) << t;
}

TEST(Wavelet, traces_are_resampled) {
  const auto w = ricker_wavelet(20, 0.1);
  std::vector<float> trace;
  for (int i = 0; i < 301; ++i) trace.push_back(static_cast<float>(w->at(0.001 * i)));
  const std::vector<float> wide = resampled(trace, 0.001, 0.004), odd = resampled(trace, 0.001, 0.0017);
  ASSERT_EQ(wide.size(), 76U);
  for (std::size_t i = 0; i < wide.size(); ++i) EXPECT_EQ(wide[i], trace[4 * i]);
  ASSERT_EQ(odd.size(), 177U);
  for (std::size_t i = 0; i < odd.size(); ++i) EXPECT_NEAR(odd[i], w->at(0.0017 * static_cast<double>(i)), 1e-5);
}

TEST(Wavelet, settings_mean_one) {
  source_settings s;
  s.frequency_hz = 10;
  EXPECT_EQ(wavelet_of(s)->at(0.15), 1);
  s.delay_s = 0.2;
  EXPECT_EQ(wavelet_of(s)->at(0.2), 1);
  s.wavelet = wavelet_kind::fletcher, s.frequency_hz = 40;
  EXPECT_EQ(wavelet_of(s)->at(0.1), fletcher_wavelet()->at(0.1));
  const own_folder folder;
  s.wavelet = wavelet_kind::file, s.file = folder.written("w.txt", "0 1 0"), s.interval_s = 0.01;
  EXPECT_NEAR(wavelet_of(s)->at(0.21), 1, 1e-12);
}

TEST(Wavelet, text_and_npy_files_say_the_same) {
  const own_folder folder;
  const std::string text = folder.written("w.txt", "# a wavelet\n0 0.5\n1.0, -0.25 # the last but one\n\n1e-1\n");
  const std::string npy = folder.written("w.npy", npy_of({0, 0.5, 1, -0.25, 0.1}));
  for (const double t : {0.0, 0.002, 0.0031, 0.008})
    EXPECT_EQ(wavelet_of_file(text, 2e-3, 0)->at(t), wavelet_of_file(npy, 2e-3, 0)->at(t));
  EXPECT_EQ(wavelet_of_file(text, 2e-3, 0)->at(4e-3), 1);
  EXPECT_EQ(wavelet_of_file(text, 2e-3, 0)->name(), text);
}

TEST(Wavelet, what_is_no_wavelet_is_refused) {
  const own_folder folder;
  const auto refused = [&](const std::string& name, const std::string& bytes) {
    return refusal_of<nearfar::error>([&] { wavelet_of_file(folder.written(name, bytes), 1e-3, 0); });
  };
  EXPECT_THAT(refused("a.txt", "1\n2\nthree\n"), HasSubstr("a.txt, line 3: 'three' is not a number"));
  EXPECT_THAT(refused("b.txt", "1\nnan\n"), HasSubstr("sample 1 is nan"));
  EXPECT_THAT(refused("c.txt", "# nothing\n"), HasSubstr("0 samples"));
  EXPECT_THAT(refused("d.txt", "0 0 0\n"), HasSubstr("all samples"));
  EXPECT_THAT(refused("e.npy", "0 0 0\n"), HasSubstr("cannot be read as NPY"));
  EXPECT_THAT(refused("f.npy", npy_of({1, 2}).substr(0, 130)), HasSubstr("truncated"));
  EXPECT_THAT(refusal_of<nearfar::io_error>([&] { wavelet_of_file(folder / "none.txt", 1e-3, 0); }),
              HasSubstr("none.txt"));
  EXPECT_THAT(refusal_of<nearfar::usage_error>([&] { sampled_wavelet({1}, 0, 0, "w"); }), HasSubstr("above 0"));
}

/// Wavelets of three to eleven samples in their shortest period, whose integral is a formula.
TEST(Integrals, are_those_of_the_formula) {
  for (const double peak : {0.03, 0.08, 0.11}) {  // of one over the interval; three times that is the highest frequency
    const double middle = 1.7 / peak, c = std::pow(std::numbers::pi * peak, 2);
    std::vector<float> trace(static_cast<std::size_t>(2 * middle + 2 * integral_half_width));
    for (std::size_t n = 0; n < trace.size(); ++n) {
      const double a = c * std::pow(static_cast<double>(n) - middle, 2);
      trace[n] = static_cast<float>((1 - 2 * a) * std::exp(-a));
    }
    integrate(trace, -2);
    double off = 0, all = 0;
    for (std::size_t n = 0; n + integral_half_width < trace.size(); ++n) {
      const double t = static_cast<double>(n) - middle, should = -2 * t * std::exp(-c * t * t);
      off += std::pow(static_cast<double>(trace[n]) - should, 2), all += should * should;
    }
    EXPECT_LT(std::sqrt(off / all), 3e-4) << peak;
  }
}

}  // namespace
}  // namespace seismic
