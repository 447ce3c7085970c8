// SPDX-License-Identifier: BSD-3-Clause
// Transforms of a few numbers in registers, one number of each SIMD lane at a time; SIMD lanes never mix.
// Source: textbook decompositions; odd lengths by sums and differences of mirrored inputs.
#pragma once

#include "simd.hpp"

namespace nearfar::fourier {
namespace {

constexpr long double sine_of_small(long double x) {
  long double term = x, sum = x;
  for (int i = 1; i < 14; ++i) {
    term *= -x * x / ((2 * i) * (2 * i + 1));
    sum += term;
  }
  return sum;
}
constexpr long double cosine_of_small(long double x) {
  long double term = 1, sum = 1;
  for (int i = 1; i < 14; ++i) {
    term *= -x * x / ((2 * i - 1) * (2 * i));
    sum += term;
  }
  return sum;
}
constexpr long double eighth_turn = 0.785398163397448309615660845819875721L;

/// cos and sin of 2 pi k / n at compile time.
constexpr long double cosine(int k, int n) {
  k = 8 * (k % n);
  if (k > 4 * n) k = 8 * n - k;
  const bool left = k > 2 * n;
  if (left) k = 4 * n - k;
  const long double c = k > n ? sine_of_small(eighth_turn * (2 * n - k) / n) : cosine_of_small(eighth_turn * k / n);
  return left ? -c : c;
}
constexpr long double sine(int k, int n) { return cosine(4 * k + 3 * n, 4 * n); }

template <class Real>
NEARFAR_INLINE simd_lanes_of<Real> operator+(const simd_lanes_of<Real>& a, const simd_lanes_of<Real>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class Real>
NEARFAR_INLINE simd_lanes_of<Real> operator-(const simd_lanes_of<Real>& a, const simd_lanes_of<Real>& b) {
  return {a.re - b.re, a.im - b.im};
}
template <class Real>
NEARFAR_INLINE simd_lanes_of<Real> times_minus_i(const simd_lanes_of<Real>& a) {
  return {a.im, -a.re};
}
template <class Real>
NEARFAR_INLINE simd_lanes_of<Real> times(const simd_lanes_of<Real>& a, Real re, Real im) {
  return {a.re * re - a.im * im, a.re * im + a.im * re};
}

/// a * exp(-2 pi i K / N)
template <int K, int N, class Real>
NEARFAR_INLINE simd_lanes_of<Real> times_root(const simd_lanes_of<Real>& a) {
  if constexpr (K % N == 0) {
    return a;
  } else if constexpr (4 * (K % N) == N) {
    return times_minus_i(a);
  } else if constexpr (8 * (K % N) == N) {
    constexpr Real half = static_cast<Real>(cosine(1, 8));
    return {(a.re + a.im) * half, (a.im - a.re) * half};
  } else if constexpr (8 * (K % N) == 3 * N) {
    constexpr Real half = static_cast<Real>(cosine(1, 8));
    return {(a.im - a.re) * half, (a.re + a.im) * -half};
  } else {
    return times(a, static_cast<Real>(cosine(K, N)), static_cast<Real>(-sine(K, N)));
  }
}

/// x[0 … N-1] becomes its transform.
template <int N>
struct codelet;

template <>
struct codelet<1> {
  template <class Real>
  NEARFAR_INLINE static void run(simd_lanes_of<Real> (&)[1]) {}
};

template <>
struct codelet<2> {
  template <class Real>
  NEARFAR_INLINE static void run(simd_lanes_of<Real> (&x)[2]) {
    const simd_lanes_of<Real> a = x[0];
    x[0] = a + x[1];
    x[1] = a - x[1];
  }
};

template <>
struct codelet<4> {
  template <class Real>
  NEARFAR_INLINE static void run(simd_lanes_of<Real> (&x)[4]) {
    const simd_lanes_of<Real> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = times_minus_i(x[1] - x[3]);
    x[0] = a + c;
    x[1] = b + d;
    x[2] = a - c;
    x[3] = b - d;
  }
};

template <int N>
struct odd_codelet {
  static constexpr int half = (N - 1) / 2;
  template <class Real>
  NEARFAR_INLINE static void run(simd_lanes_of<Real> (&x)[N]) {
    simd_lanes_of<Real> sum[half], difference[half];
    simd_lanes_of<Real> total = x[0];
    unroll<half>([&](auto j) __attribute__((always_inline)) {
      sum[j] = x[j + 1] + x[N - 1 - j];
      difference[j] = x[j + 1] - x[N - 1 - j];
      total = total + sum[j];
    });
    unroll<half>([&](auto k) __attribute__((always_inline)) {
      simd_lanes_of<Real> a = x[0];
      simd_lanes_of<Real> b{};
      unroll<half>([&](auto j) __attribute__((always_inline)) {
        constexpr int angle = (decltype(k)::value + 1) * (decltype(j)::value + 1);
        constexpr Real c = static_cast<Real>(cosine(angle, N)), s = static_cast<Real>(sine(angle, N));
        a = {a.re + sum[j].re * c, a.im + sum[j].im * c};
        b = {b.re + difference[j].re * s, b.im + difference[j].im * s};
      });
      x[k + 1] = {a.re + b.im, a.im - b.re};
      x[N - 1 - k] = {a.re - b.im, a.im + b.re};
    });
    x[0] = total;
  }
};
template <>
struct codelet<3> : odd_codelet<3> {};
template <>
struct codelet<5> : odd_codelet<5> {};
template <>
struct codelet<7> : odd_codelet<7> {};

template <int A, int B>
struct composite_codelet {
  template <class Real>
  NEARFAR_INLINE static void run(simd_lanes_of<Real> (&x)[A * B]) {
    simd_lanes_of<Real> y[A][B];
    unroll<A>([&](auto j) __attribute__((always_inline)) {
      unroll<B>([&](auto i) __attribute__((always_inline)) { y[j][i] = x[j + A * i]; });
      codelet<B>::run(y[j]);
    });
    unroll<B>([&](auto k) __attribute__((always_inline)) {
      simd_lanes_of<Real> z[A];
      unroll<A>([&](auto j) __attribute__((always_inline)) {
        z[j] = times_root<decltype(j)::value* decltype(k)::value, A * B>(y[j][k]);
      });
      codelet<A>::run(z);
      unroll<A>([&](auto j) __attribute__((always_inline)) { x[k + B * j] = z[j]; });
    });
  }
};
template <>
struct codelet<6> : composite_codelet<2, 3> {};
template <>
struct codelet<8> : composite_codelet<2, 4> {};
template <>
struct codelet<9> : composite_codelet<3, 3> {};
template <>
struct codelet<10> : composite_codelet<2, 5> {};
template <>
struct codelet<12> : composite_codelet<4, 3> {};
template <>
struct codelet<16> : composite_codelet<4, 4> {};

}  // namespace
}  // namespace nearfar::fourier
