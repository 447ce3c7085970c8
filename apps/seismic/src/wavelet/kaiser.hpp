// SPDX-License-Identifier: BSD-3-Clause
// A sinc under a Kaiser window: what interpolates between samples and between grid points.
#pragma once

#include <cmath>
#include <numbers>

namespace seismic {

/// Modified Bessel function of order 0 by its power series, which converges for all arguments; here they are below 20.
inline double bessel_i0(double x) {
  double sum = 1, term = 1;
  for (int k = 1; term > 1e-17 * sum; ++k) {
    term *= (0.5 * x / k) * (0.5 * x / k);
    sum += term;
  }
  return sum;
}

/// sin(pi x) / (pi x) under Kaiser's window of that half width and parameter b. @source Hicks 2002, Geophysics 67, 156,
/// equations 2 and 3
inline double kaiser_sinc(double x, double half_width, double b) {
  if (std::abs(x) >= half_width) return 0;
  if (x == 0) return 1;
  const double share = x / half_width, angle = std::numbers::pi * x;
  return bessel_i0(b * std::sqrt(1 - share * share)) / bessel_i0(b) * std::sin(angle) / angle;
}

}  // namespace seismic
