// SPDX-License-Identifier: BSD-3-Clause
// What the kernels need for a length: passes with their factors, and the chirp for lengths with large prime factors.
#pragma once

#include <base/numbers.hpp>
#include <memory>
#include <vector>

namespace nearfar::fourier {

/// Prime factors up to this are passes of their own, larger ones go by the chirp.
constexpr int largest_pass = 61;

/// One pass: rows [radix][groups][span] to [groups][radix][span], row p of each radix times factors[p].
template <class Real>
struct pass {
  int radix = 1;
  index_t groups = 1, span = 1;
  const Real* factors = nullptr;  ///< [groups][radix - 1][2]; the last pass of a length has none
  const Real* roots = nullptr;    ///< [radix][2], for the radices without a codelet
};

/// A length made of small factors: its passes. Otherwise convolution with the chirp, by passes of the length `padded`.
template <class Real>
struct factorisation {
  index_t length = 1;
  int passes = 0;
  const pass<Real>* pass_list = nullptr;
  index_t padded = 0;            ///< 0: no chirp
  const Real* chirp = nullptr;   ///< [length][2]: exp(-i pi k k / length)
  const Real* mirror = nullptr;  ///< [padded][2]: transform of the conjugate chirp, divided by padded
  const factorisation* inner = nullptr;
};

/// Factors of n as radices of passes, cheapest first choice; empty if n has a larger prime factor than largest_pass.
std::vector<int> choose_radices(index_t n);

/// Is there a codelet for that radix?
bool has_codelet(int radix) noexcept;

/// The factorisation of a length, shared by all that ask for it while somebody holds it.
template <class Real>
std::shared_ptr<const factorisation<Real>> factorisation_for(index_t length);

}  // namespace nearfar::fourier
