// SPDX-License-Identifier: BSD-3-Clause
// Weights of centred differences of order 2 * radius on points at distance 1.
#pragma once

#include <array>

namespace seismic {

inline constexpr int largest_radius = 6;

/// (radius!)^2 / ((radius - k)! (radius + k)!)
constexpr double factorial_ratio(int radius, int k) {
  double ratio = 1;
  for (int i = 0; i < k; ++i) ratio *= static_cast<double>(radius - i) / (radius + k - i);
  return ratio;
}

/// f'(0) = sum over k = 1 … radius of w[k] (f(k) - f(-k)); w[0] is 0. @source Fornberg 1988, closed form for centred
/// points
constexpr std::array<double, largest_radius + 1> first_derivative(int radius) {
  std::array<double, largest_radius + 1> w{};
  for (int k = 1; k <= radius; ++k)
    w[static_cast<std::size_t>(k)] = (k % 2 == 1 ? 1 : -1) * factorial_ratio(radius, k) / k;
  return w;
}

/// f''(0) = w[0] f(0) + sum over k of w[k] (f(k) + f(-k)). @source as above
constexpr std::array<double, largest_radius + 1> second_derivative(int radius) {
  std::array<double, largest_radius + 1> w{};
  for (int k = 1; k <= radius; ++k) {
    const auto at = static_cast<std::size_t>(k);
    w[at] = (k % 2 == 1 ? 2 : -2) * factorial_ratio(radius, k) / (k * k);
    w[0] -= 2 * w[at];
  }
  return w;
}

/// What the second difference makes of the shortest wave, two points long, times -1: its largest value over all waves.
constexpr double largest_symbol(int radius) {
  const auto w = second_derivative(radius);
  double sum = -w[0];
  for (int k = 1; k <= radius; ++k) sum += (k % 2 == 1 ? 2 : -2) * w[static_cast<std::size_t>(k)];
  return sum;
}

}  // namespace seismic
