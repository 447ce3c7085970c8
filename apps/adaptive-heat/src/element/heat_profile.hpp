// SPDX-License-Identifier: BSD-3-Clause
// How hot the ball of heat is at a distance from its centre, as a polynomial that kernels evaluate.
#pragma once

#include <array>

namespace adaptive_heat {

/// 1 + cos(pi sqrt(q)) = 2 c(q)^2 with c(q) = cos(pi/2 sqrt(q)), a polynomial of degree 9 in 2q - 1 to an absolute
/// error of 3e-16 for q in [0, 1]. Nothing is drawn a root of, and nothing cancels near q = 1.
constexpr int profile_terms = 10;
const std::array<double, profile_terms>& profile_coefficients();  ///< of powers of 2q - 1, lowest first

}  // namespace adaptive_heat
