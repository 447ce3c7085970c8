// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <app/expected_error.hpp>
#include <cmath>
#include <complex>
#include <kernels/weights.hpp>
#include <numbers>
#include <wavelet/fourier.hpp>
#include <wavelet/time_dispersion.hpp>

namespace seismic {

namespace {

constexpr double turn = 2 * std::numbers::pi;

/// What differences make of a wave exp(i kappa n): of the second times -1, of the first over i.
double second_symbol(int radius, double kappa) {
  const auto w = second_derivative(radius);
  double sum = 0;
  for (int k = 1; k <= radius; ++k) sum += 2 * w[static_cast<std::size_t>(k)] * (1 - std::cos(k * kappa));
  return sum;
}
double first_symbol(int radius, double kappa) {
  const auto w = first_derivative(radius);
  double sum = 0;
  for (int k = 1; k <= radius; ++k) sum += 2 * w[static_cast<std::size_t>(k)] * std::sin(k * kappa);
  return sum;
}

/// The largest deviation from 1, with its sign, of the wave number that differences see over that of the wave.
double seen_share(int radius, double kappa, bool is_tilted) {
  if (kappa == 0) return 1;
  const double along = std::sqrt(second_symbol(radius, kappa)) / kappa;
  if (!is_tilted) return along;
  const double part = kappa / std::numbers::sqrt2;
  const double diagonal = std::sqrt(second_symbol(radius, part) + std::pow(first_symbol(radius, part), 2)) / kappa;
  return std::abs(diagonal - 1) > std::abs(along - 1) ? diagonal : along;
}

}  // namespace

double velocity_error(double frequency_hz, const error_setting& s) {
  const double omega = turn * frequency_hz, kappa = std::min(omega * s.spacing_m / s.slowest_m_s, std::numbers::pi);
  const double seen = omega * seen_share(s.order / 2, kappa, s.is_tilted);
  return (s.dt_s > 0 ? shown_frequency(std::min(seen, 2 / s.dt_s), s.dt_s) : seen) / std::max(omega, 1e-30) - 1;
}

double trace_error(const wavelet& w, const error_setting& s) {
  const double interval_s = 1 / (8 * w.highest_frequency_hz());
  std::vector<std::complex<double>> spectrum;
  for (double t = w.begin_s(); t < w.end_s(); t += interval_s) spectrum.emplace_back(w.at(t));
  const fourier_transform fourier(power_of_two(2 * spectrum.size()));
  spectrum.resize(fourier.length());
  fourier(spectrum);
  double off = 0, all = 0;
  for (std::size_t k = 1; k < spectrum.size() / 2; ++k) {
    const double hz = static_cast<double>(k) / (static_cast<double>(spectrum.size()) * interval_s);
    const double error = velocity_error(hz, s), late = turn * hz * s.path_m / s.slowest_m_s * error / (1 + error);
    off += std::norm(spectrum[k]) * std::pow(2 * std::sin(late / 2), 2), all += std::norm(spectrum[k]);
  }
  return all > 0 ? std::sqrt(off / all) : 0;
}

}  // namespace seismic
