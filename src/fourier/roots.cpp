// SPDX-License-Identifier: BSD-3-Clause
// Roots of unity in extended precision.
#include "roots.hpp"

#include <cmath>
#include <utility>

namespace nearfar::fourier {

root root_of_unity(index_t k, index_t n) {
  index_t eighths = 8 * (((k % n) + n) % n);  // of n: the whole turn is 8 n
  const bool is_lower = eighths > 4 * n;
  if (is_lower) eighths = 8 * n - eighths;
  const bool is_left = eighths > 2 * n;
  if (is_left) eighths = 4 * n - eighths;
  const bool is_steep = eighths > n;
  if (is_steep) eighths = 2 * n - eighths;

  const long double quarter_pi = 0.785398163397448309615660845819875721L;
  const long double angle = quarter_pi * static_cast<long double>(eighths) / static_cast<long double>(n);
  long double c = std::cos(angle), s = std::sin(angle);
  if (is_steep) std::swap(c, s);
  return {is_left ? -c : c, is_lower ? s : -s};
}

}  // namespace nearfar::fourier
