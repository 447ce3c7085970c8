// SPDX-License-Identifier: BSD-3-Clause
// Vector loops that add numbers without error, or report that they cannot.
#pragma once

#include <base/numbers.hpp>

namespace nearfar::reduction {

/// Numbers that split() takes at once: fewer than 2^split_bits, so that their leading parts add up without error.
constexpr index_t split_most = 1008;
constexpr int split_bits = 10;
constexpr int split_sums = 3;

/// The loops need round to nearest and numbers below the normal ones kept: see standard_arithmetic.
struct exact_loops {
  /// The largest magnitude of n numbers; NaN do not count.
  double (*largest)(const double* x, index_t n);
  /// x[i] = (part of sums[0] + part of sums[1] + part of sums[2]) + rest[i], all without error, for n <= split_most
  /// numbers of magnitude at most 2^-split_bits * sigma, where sigma is a power of two and 2^-86 sigma is a normal
  /// number. Gives the largest magnitude of the rest, which is often 0. `rest` may be x. NaN among the numbers makes
  /// sums[0] NaN.
  double (*split)(const double* x, index_t n, double sigma, double* sums, double* rest);
  /// a[i] * b[i] = product[i] + error[i] without error. False if some product is too large or too small for that.
  bool (*multiply)(const double* a, const double* b, index_t n, double* product, double* error);
  /// out[i] = the correctly rounded sum of in[0][i] … in[parts-1][i]. Where that is not certain, is_open[i] is set,
  /// else cleared, and the result tells how many are open. `out` may be an input only if none of the elements is open.
  index_t (*add_columns_double)(double* out, const double* const* in, int parts, index_t n, unsigned char* is_open);
  index_t (*add_columns_float)(float* out, const float* const* in, int parts, index_t n, unsigned char* is_open);
};

/// Those for this processor. All variants give the same values: they are exact.
const exact_loops& exact_loops_here();

namespace plain {
extern const exact_loops exact;
}
namespace avx2 {
extern const exact_loops exact;
}
namespace avx512 {
extern const exact_loops exact;
}

}  // namespace nearfar::reduction
