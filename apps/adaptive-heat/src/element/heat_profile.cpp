// SPDX-License-Identifier: BSD-3-Clause
// The polynomial of the ball's profile, by interpolation in Chebyshev points.
#include <element/heat_profile.hpp>

#include <cmath>
#include <numbers>

namespace adaptive_heat {
namespace {

using real = long double;
using terms = std::array<real, profile_terms>;
constexpr real pi = std::numbers::pi_v<long double>;

/// Coefficients of Chebyshev polynomials in s = 2q - 1.
terms chebyshev() {
  terms c{};
  for (int p = 0; p < profile_terms; ++p) {
    const real angle = pi * (p + real(0.5)) / profile_terms;
    const real value = std::cos(pi / 2 * std::sqrt((std::cos(angle) + 1) / 2));
    for (int k = 0; k < profile_terms; ++k) c[k] += 2 * value * std::cos(k * angle) / profile_terms;
  }
  c[0] /= 2;
  return c;
}

std::array<double, profile_terms> powers() {
  const terms c = chebyshev();
  terms before{1}, now{0, 1}, sum{};
  sum[0] = c[0];
  for (int k = 1; k < profile_terms; ++k) {
    for (int i = 0; i < profile_terms; ++i) sum[i] += c[k] * now[i];
    terms next{};
    for (int i = 0; i < profile_terms; ++i) next[i] = (i > 0 ? 2 * now[i - 1] : 0) - before[i];
    before = now, now = next;
  }
  std::array<double, profile_terms> rounded{};
  for (int i = 0; i < profile_terms; ++i) rounded[i] = static_cast<double>(sum[i]);
  return rounded;
}

}  // namespace

const std::array<double, profile_terms>& profile_coefficients() {
  static const auto derived = powers();
  return derived;
}

}  // namespace adaptive_heat
