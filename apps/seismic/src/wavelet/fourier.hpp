// SPDX-License-Identifier: BSD-3-Clause
// The discrete Fourier transform of lengths that are powers of two.
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace seismic {

/// The smallest power of two that is not below `least`.
std::size_t power_of_two(std::size_t least);

class fourier_transform {
 public:
  /// @param length  a power of two
  explicit fourier_transform(std::size_t length);
  std::size_t length() const noexcept { return 2 * roots_.size(); }
  /// a[k] = sum of a[n] exp(-2 pi i k n / length), in place.
  void operator()(std::span<std::complex<double>> a) const;

 private:
  std::vector<std::complex<double>> roots_;  ///< exp(-2 pi i k / length) of the first half
};

}  // namespace seismic
