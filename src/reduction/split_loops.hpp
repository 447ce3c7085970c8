// SPDX-License-Identifier: BSD-3-Clause
// The loops of exact sums; included once by each file in variants/, as loops.hpp is and under the same rules.
#pragma once

#include "exact/split.hpp"

namespace nearfar::reduction {
namespace {

double magnitude(double x) { return __builtin_fabs(x); }

double largest_of(const double* x, index_t n) {
  double most = 0;
#pragma omp simd reduction(max : most)
  for (index_t i = 0; i < n; ++i) most = magnitude(x[i]) > most ? magnitude(x[i]) : most;
  return most;
}

// Each number loses its leading digits three times: (sigma + x) - sigma is x rounded to a multiple of 2^-53 sigma, and
// the sum of these over the block stays below sigma, so that it is exact in any order (the error-free vector
// transformation of Rump, Ogita and Oishi, see exact_sum.hpp).
double split_block(const double* x, index_t n, double sigma, double* sums, double* rest) {
  constexpr double step = 0x1p-43;  // 2^(split_bits - 53): what is left is at most 2^-53 sigma
  static_assert(split_bits == 10 && split_most < 1 << split_bits);
  const double s0 = sigma, s1 = s0 * step, s2 = s1 * step;
  double sum0 = 0, sum1 = 0, sum2 = 0, most = 0;
#pragma omp simd reduction(+ : sum0, sum1, sum2) reduction(max : most)
  for (index_t i = 0; i < n; ++i) {
    double r = x[i];
    const double q0 = (s0 + r) - s0;
    r -= q0;
    const double q1 = (s1 + r) - s1;
    r -= q1;
    const double q2 = (s2 + r) - s2;
    r -= q2;
    sum0 += q0;
    sum1 += q1;
    sum2 += q2;
    most = magnitude(r) > most ? magnitude(r) : most;
    rest[i] = r;
  }
  sums[0] = sum0;
  sums[1] = sum1;
  sums[2] = sum2;
  return most;
}

#ifdef __FMA__
double error_of_product(double a, double b, double product) { return __builtin_fma(a, b, -product); }
#else
// T. J. Dekker, A floating-point technique for extending the available precision, Numer. Math. 18, 1971.
double upper_half(double a) {
  const double scaled = 0x8000001p0 * a;
  return scaled - (scaled - a);
}
double error_of_product(double a, double b, double product) {
  const double a1 = upper_half(a), a2 = a - a1, b1 = upper_half(b), b2 = b - b1;
  return a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2);
}
#endif

// Exact where the product's last digit, at 2^-104 of it at worst, is a number still, and nothing on the way overflows.
bool multiply_block(const double* a, const double* b, index_t n, double* product, double* error) {
  constexpr double smallest = 0x1p-960, largest = 0x1p990;
  int bad = 0;
#pragma omp simd reduction(| : bad)
  for (index_t i = 0; i < n; ++i) {
    const double p = a[i] * b[i];
    product[i] = p;
    error[i] = error_of_product(a[i], b[i], p);
    const double p_size = magnitude(p), a_size = magnitude(a[i]), b_size = magnitude(b[i]);
    const bool is_zero = (a[i] == 0) | (b[i] == 0);
    const bool is_fine = (p_size >= smallest) | is_zero;
    const bool is_bounded = (p_size < largest) & (a_size < largest) & (b_size < largest);
    bad |= (is_fine & is_bounded) ? 0 : 1;
  }
  return bad == 0;
}

// high + low = a + b without error: D. E. Knuth, The Art of Computer Programming 2, 4.2.2, theorem B.
template <class T>
void add_two(T a, T b, T& high, T& low) {
  high = a + b;
  const T of_b = high - a;
  low = (a - (high - of_b)) + (b - of_b);
}

// A running sum and the sum of its errors; when the latter is exact too, their sum rounds once.
template <class T>
index_t add_columns(T* out, const T* const* in, int parts, index_t n, unsigned char* is_open) {
  constexpr index_t block = 256;
  T sum[block], errors[block], lost[block];
  index_t open = 0;
  for (index_t start = 0; start < n; start += block) {
    const index_t many = n - start < block ? n - start : block;
    for (index_t i = 0; i < many; ++i) sum[i] = in[0][start + i], errors[i] = 0, lost[i] = 0;
    for (int k = 1; k < parts; ++k) {
      const T* x = in[k] + start;
#pragma omp simd
      for (index_t i = 0; i < many; ++i) {
        T high, error, lower;
        add_two(sum[i], x[i], high, error);
        sum[i] = high;
        add_two(errors[i], error, errors[i], lower);
        lost[i] += lower < 0 ? -lower : lower;  // no cancellation: zero only if nothing was ever lost
      }
    }
    int open_here = 0;
#pragma omp simd reduction(+ : open_here)
    for (index_t i = 0; i < many; ++i) {
      const T result = sum[i] + errors[i];
      const bool is_certain = (lost[i] == 0) & (result - result == 0);  // the latter: finite
      is_open[start + i] = is_certain ? 0 : 1;
      open_here += is_certain ? 0 : 1;
      out[start + i] = result + T(0);  // -0 becomes +0
    }
    open += open_here;
  }
  return open;
}

constexpr exact_loops loops_for_exact_sums{&largest_of, &split_block, &multiply_block, &add_columns<double>,
                                           &add_columns<float>};

}  // namespace
}  // namespace nearfar::reduction
