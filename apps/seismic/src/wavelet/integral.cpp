// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numbers>
#include <points/band_weights.hpp>
#include <wavelet/integral.hpp>

namespace seismic {

namespace {

/// Of samples from so many before an interval to as many behind it.
const std::vector<double>& interval_weights() {
  static const std::vector<double> weights =
      band_weights(2 * integral_half_width, 2 * std::numbers::pi * highest_integrated_share)(
          1 - integral_half_width, [](double k) { return (std::polar(1.0, k) - 1.0) / std::complex<double>(0, k); });
  return weights;
}

}  // namespace

void integrate(std::span<float> trace, double factor) {
  const std::vector<double>& weights = interval_weights();
  const std::vector<double> values(trace.begin(), trace.end());
  const auto count = static_cast<std::ptrdiff_t>(values.size());
  double sum = 0;
  for (std::ptrdiff_t n = 0; n < count; ++n) {
    trace[static_cast<std::size_t>(n)] = static_cast<float>(factor * sum) + 0.0f;  // never a negative zero
    const std::ptrdiff_t first = n + 1 - integral_half_width;
    for (std::ptrdiff_t m = std::max<std::ptrdiff_t>(first, 0); m < std::min(count, n + 1 + integral_half_width); ++m)
      sum += weights[static_cast<std::size_t>(m - first)] * values[static_cast<std::size_t>(m)];
  }
}

}  // namespace seismic
