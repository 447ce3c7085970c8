// SPDX-License-Identifier: BSD-3-Clause
// Weights on points one apart for what is known by what it makes of waves: a derivative, an integral.
#pragma once

#include <complex>
#include <functional>
#include <vector>

namespace seismic {

/// The weights w[n] of points at first + n, n < count, for which the sum of w[n] exp(i k (first + n)) is closest to
/// what is wanted for each wave k from 0 to `highest` (pi: two points a wave), by least squares. Errors of long waves
/// count more, as 1 / (k + 0.05): relative to the wave number.
/// @source ours; the purpose as in Holberg 1987, Geophysical Prospecting 35, 629
class band_weights {
 public:
  band_weights(int count, double highest);

  /// @param wanted  of k, what the operator makes of exp(i k u) at u = 0. Any thread
  std::vector<double> operator()(double first, const std::function<std::complex<double>(double k)>& wanted) const;

 private:
  static constexpr int waves = 96;
  double wave(int n) const { return (n + 0.5) * highest_ / waves; }

  int count_;
  double highest_;
  std::vector<double> importance_;  ///< of each wave
  std::vector<double> factor_;      ///< Cholesky's, of what does not depend on `first`; rows of count_
};

}  // namespace seismic
