// SPDX-License-Identifier: BSD-3-Clause
// Roots of unity to the last bit.
#pragma once

#include <base/numbers.hpp>

namespace nearfar::fourier {

struct root {
  long double re, im;
};

/// exp(-2 pi i k / n), by reduction to an eighth of the circle.
root root_of_unity(index_t k, index_t n);

/// Writes root k of n, rounded once, as two numbers.
template <class Real>
void put_root(Real* to, index_t k, index_t n) {
  const root w = root_of_unity(k, n);
  to[0] = static_cast<Real>(w.re);
  to[1] = static_cast<Real>(w.im);
}

}  // namespace nearfar::fourier
