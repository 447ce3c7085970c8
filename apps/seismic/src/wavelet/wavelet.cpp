// SPDX-License-Identifier: BSD-3-Clause
// Wavelets that are formulas.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <wavelet/wavelet.hpp>

namespace seismic {
namespace {

using std::numbers::pi;

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

double ricker_of(double x) { return (1 - 2 * x) * std::exp(-x); }

/// The root above 1 of u exp(1 - u) = share, which falls there; u is (frequency / peak frequency)^2.
double ricker_root(double share) {
  double low = 1, high = 800;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (middle * std::exp(1 - middle) > share ? low : high) = middle;
  }
  return high;
}

/// Where |ricker_of| is 1e-6 for the last time: x = 17.4; so many seconds from the middle.
double half_length_s(double peak_hz) { return std::sqrt(17.4) / (pi * peak_hz); }

class ricker : public wavelet {
 public:
  ricker(double peak_hz, double delay_s) : peak_hz_(peak_hz), delay_s_(delay_s) {}
  double at(double time_s) const override {
    const double phase = pi * peak_hz_ * (time_s - delay_s_);
    return ricker_of(phase * phase);
  }
  double highest_frequency_hz(double share) const override { return peak_hz_ * std::sqrt(ricker_root(share)); }
  double begin_s() const override { return delay_s_ - half_length_s(peak_hz_); }
  double end_s() const override { return delay_s_ + half_length_s(peak_hz_); }
  std::string name() const override { return "ricker of " + short_number(peak_hz_) + " Hz"; }

 private:
  double peak_hz_, delay_s_;
};

class fletcher : public wavelet {
 public:
  explicit fletcher(double cut_hz) : cut_hz_(cut_hz) {}
  double at(double time_s) const override {
    const double c = cut_hz_ / (3 * std::sqrt(pi)) * (time_s - delay_s());
    return ricker_of(pi * pi * pi * c * c);
  }
  double highest_frequency_hz(double share) const override { return cut_hz_ / 3 * std::sqrt(ricker_root(share)); }
  double begin_s() const override { return delay_s() - half_length_s(cut_hz_ / 3); }
  double end_s() const override { return delay_s() + half_length_s(cut_hz_ / 3); }
  std::string name() const override { return "fletcher up to " + short_number(cut_hz_) + " Hz"; }

 private:
  double delay_s() const { return 2 * std::sqrt(pi) / cut_hz_; }
  double cut_hz_;
};

}  // namespace

cut_shares cut_of(const wavelet& w, double end_s) {
  const double length_s = w.end_s() - w.begin_s();
  const int parts = 2 * static_cast<int>(std::clamp(64 * w.highest_frequency_hz() * length_s, 200.0, 1e6));
  double before = 0, behind = 0, all = 0;
  for (int n = 0; n < parts; ++n) {
    const double t = w.begin_s() + length_s * (n + 0.5) / parts, square = w.at(t) * w.at(t);
    all += square, before += t < 0 ? square : 0, behind += t >= end_s ? square : 0;
  }
  return {before / all, behind / all};
}

std::unique_ptr<wavelet> ricker_wavelet(double peak_hz, double delay_s) {
  return std::make_unique<ricker>(peak_hz, delay_s);
}

double usual_ricker_delay_s(double peak_hz) { return 1.5 / peak_hz; }

std::unique_ptr<wavelet> fletcher_wavelet(double cut_hz) { return std::make_unique<fletcher>(cut_hz); }

}  // namespace seismic
