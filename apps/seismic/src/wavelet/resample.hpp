// SPDX-License-Identifier: BSD-3-Clause
// What lies between samples.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>
#include <wavelet/kaiser.hpp>

namespace seismic {

inline constexpr int sample_half_width = 16;
inline constexpr double sample_window = 11;  ///< Kaiser's parameter: side lobes of -110 dB

/// The value at a place counted in samples, by a sinc under a Kaiser window; zeros lie around the samples. Off by less
/// than 1e-4 of the largest amplitude for what lies below 0.75 of the samples' Nyquist frequency.
template <class T>
double between_samples(std::span<const T> samples, double place) {
  const auto count = static_cast<double>(samples.size());
  if (!(place > -sample_half_width && place < count - 1 + sample_half_width)) return 0;
  const auto first = static_cast<std::size_t>(std::max(0.0, std::ceil(place) - sample_half_width));
  const auto end = static_cast<std::size_t>(std::min(count, std::floor(place) + sample_half_width + 1));
  double sum = 0;
  for (std::size_t i = first; i < end; ++i)
    sum +=
        static_cast<double>(samples[i]) * kaiser_sinc(place - static_cast<double>(i), sample_half_width, sample_window);
  return sum;
}

/// A trace with another interval between samples, which begins at the same time and ends no later. What lies above the
/// new Nyquist frequency is not taken out: a wavelet that is checked against it has nothing there.
inline std::vector<float> resampled(std::span<const float> trace, double interval_s, double new_interval_s) {
  if (trace.empty()) return {};
  const double ratio = new_interval_s / interval_s;
  const auto count = static_cast<std::size_t>(static_cast<double>(trace.size() - 1) / ratio * (1 + 1e-12)) + 1;
  std::vector<float> all(count);
  for (std::size_t i = 0; i < count; ++i)
    all[i] = static_cast<float>(between_samples(trace, static_cast<double>(i) * ratio));
  return all;
}

}  // namespace seismic
