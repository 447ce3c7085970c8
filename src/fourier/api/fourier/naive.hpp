// SPDX-License-Identifier: BSD-3-Clause
// The transforms by their definitions, in extended precision: the reference for tests of engines.
#pragma once

#include <cmath>
#include <complex>
#include <fourier/line_shape.hpp>
#include <vector>

namespace nearfar::fourier::test {

using exact = std::complex<long double>;
using numbers = std::vector<exact>;

/// Angle pi * a / b, with a reduced first.
inline long double half_turns(index_t a, index_t b) {
  return std::acos(-1.0L) * static_cast<long double>(a % (2 * b)) / static_cast<long double>(b);
}

/// The factor of input j in output k of a real-to-real kind of length n.
inline long double factor(kind what, index_t n, index_t j, index_t k) {
  const bool at_end = j == n - 1;
  const long double alternating = k % 2 == 0 ? 1 : -1;
  switch (what) {
    case kind::dct1:
      return j == 0 ? 1 : at_end ? alternating : 2 * std::cos(half_turns(j * k, n - 1));
    case kind::dct2:
      return 2 * std::cos(half_turns((2 * j + 1) * k, 2 * n));
    case kind::dct3:
      return j == 0 ? 1 : 2 * std::cos(half_turns(j * (2 * k + 1), 2 * n));
    case kind::dct4:
      return 2 * std::cos(half_turns((2 * j + 1) * (2 * k + 1), 4 * n));
    case kind::dst1:
      return 2 * std::sin(half_turns((j + 1) * (k + 1), n + 1));
    case kind::dst2:
      return 2 * std::sin(half_turns((2 * j + 1) * (k + 1), 2 * n));
    case kind::dst3:
      return at_end ? alternating : 2 * std::sin(half_turns((j + 1) * (2 * k + 1), 2 * n));
    default:
      return 2 * std::sin(half_turns((2 * j + 1) * (2 * k + 1), 4 * n));
  }
}

/// All n coefficients that n/2 + 1 stand for, the parts that do not count left out.
inline numbers whole_spectrum(const numbers& half, index_t n) {
  numbers all(as_size(n));
  for (index_t k = 0; k <= n / 2; ++k) {
    all[as_size(k)] = half[as_size(k)];
    if (k == 0 || 2 * k == n) all[as_size(k)] = half[as_size(k)].real();
    if (k > 0) all[as_size(n - k)] = std::conj(all[as_size(k)]);
  }
  return all;
}

/// A kind and length by its definition.
class definition {
 public:
  definition(kind what, index_t n) : what_(what), n_(n), rows_(line_shape{what, n}.out_length()) {
    const long double sign = what == kind::forward || what == kind::real_to_complex ? -1 : 1;
    for (index_t j = 0; j < n; ++j)
      if (is_real_to_real(what))
        for (index_t k = 0; k < rows_; ++k) factors_.emplace_back(factor(what, n, j, k));
      else
        factors_.push_back(std::polar(1.0L, sign * half_turns(2 * j, n)));
  }

  numbers operator()(const numbers& in) const {
    const numbers x = what_ == kind::complex_to_real ? whole_spectrum(in, n_) : in;
    numbers out(as_size(rows_));
    for (index_t j = 0; j < n_; ++j)
      for (index_t k = 0; k < rows_; ++k)
        out[as_size(k)] += is_real_to_real(what_) ? factors_[as_size(j * rows_ + k)].real() * x[as_size(j)].real()
                                                  : factors_[as_size(j * k % n_)] * x[as_size(j)];
    return out;
  }

 private:
  kind what_;
  index_t n_, rows_;
  numbers factors_;
};

}  // namespace nearfar::fourier::test
