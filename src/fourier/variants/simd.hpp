// SPDX-License-Identifier: BSD-3-Clause
// Vectors of NEARFAR_FOURIER_BYTES bytes, and the few shuffles that loading and storing need. Everything here has
// internal linkage, since each variant is compiled for another processor.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <cstddef>
#include <utility>

#include "../job.hpp"

namespace nearfar::fourier {
namespace {

template <class Real>
struct simd;

template <>
struct simd<double> {
  typedef double vec __attribute__((vector_size(NEARFAR_FOURIER_BYTES)));
  typedef double loose __attribute__((vector_size(NEARFAR_FOURIER_BYTES), aligned(8), may_alias));
};
template <>
struct simd<float> {
  typedef float vec __attribute__((vector_size(NEARFAR_FOURIER_BYTES)));
  typedef float loose __attribute__((vector_size(NEARFAR_FOURIER_BYTES), aligned(4), may_alias));
};

template <class Real>
using vec_of = typename simd<Real>::vec;
template <class Real>
constexpr int width = NEARFAR_FOURIER_BYTES / static_cast<int>(sizeof(Real));

#define NEARFAR_INLINE [[gnu::always_inline]] inline

template <int... I>
using ints = std::integer_sequence<int, I...>;
template <int N>
using first_ints = std::make_integer_sequence<int, N>;

/// f(0), f(1), … with constants: arrays that are indexed by them stay in registers.
template <int... I, class F>
NEARFAR_INLINE void unroll_each(ints<I...>, const F& f) {
  (f(std::integral_constant<int, I>{}), ...);
}
template <int N, class F>
NEARFAR_INLINE void unroll(const F& f) {
  unroll_each(first_ints<N>{}, f);
}

template <class Real>
NEARFAR_INLINE vec_of<Real> load(const Real* from) {
  return *reinterpret_cast<const typename simd<Real>::loose*>(from);
}
template <class Real>
NEARFAR_INLINE void store(Real* to, vec_of<Real> v) {
  *reinterpret_cast<typename simd<Real>::loose*>(to) = v;
}

/// Past the caches, where the processor has such stores; `to` is aligned to the vector.
template <class Real>
NEARFAR_INLINE void store_past_caches(Real* to, vec_of<Real> v) {
#if NEARFAR_FOURIER_BYTES == 64
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), (__m512i)v);
#elif NEARFAR_FOURIER_BYTES == 32
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), (__m256i)v);
#elif defined(__SSE2__)
  _mm_stream_si128(reinterpret_cast<__m128i*>(to), (__m128i)v);
#else
  store<Real>(to, v);
#endif
}

/// Asks for the lines of `Count` numbers that will be needed soon, for the second-level cache.
template <int Count, int IsWritten, class Real>
NEARFAR_INLINE void fetch(const Real* at) {
  constexpr int line = 64 / static_cast<int>(sizeof(Real)), second_cache = 2;
  unroll<(Count + line - 1) / line>([&](auto i) __attribute__((always_inline)) {
    __builtin_prefetch(at + i * line, IsWritten, second_cache);
  });
}

/// One complex number of each SIMD lane.
template <class Real>
struct simd_lanes_of {
  vec_of<Real> re, im;
};

template <class Vec, int... I>
NEARFAR_INLINE Vec evens(Vec a, Vec b, ints<I...>) {
  return __builtin_shufflevector(a, b, (2 * I)...);
}
template <class Vec, int... I>
NEARFAR_INLINE Vec odds(Vec a, Vec b, ints<I...>) {
  return __builtin_shufflevector(a, b, (2 * I + 1)...);
}
template <class Vec, int... I>
NEARFAR_INLINE Vec low_pairs(Vec a, Vec b, ints<I...>) {
  constexpr int n = sizeof...(I);
  return __builtin_shufflevector(a, b, (I / 2 + (I % 2) * n)...);
}
template <class Vec, int... I>
NEARFAR_INLINE Vec high_pairs(Vec a, Vec b, ints<I...>) {
  constexpr int n = sizeof...(I);
  return __builtin_shufflevector(a, b, (n / 2 + I / 2 + (I % 2) * n)...);
}

/// Complex numbers that lie side by side in memory.
template <class Real>
NEARFAR_INLINE simd_lanes_of<Real> load_complex(const Real* from) {
  constexpr first_ints<width<Real>> all{};
  const vec_of<Real> a = load(from), b = load(from + width<Real>);
  return {evens(a, b, all), odds(a, b, all)};
}
template <class Real>
NEARFAR_INLINE void store_complex(Real* to, const simd_lanes_of<Real>& x) {
  constexpr first_ints<width<Real>> all{};
  store(to, low_pairs(x.re, x.im, all));
  store(to + width<Real>, high_pairs(x.re, x.im, all));
}

template <class Real>
NEARFAR_INLINE void store_complex_past_caches(Real* to, const simd_lanes_of<Real>& x) {
  constexpr first_ints<width<Real>> all{};
  store_past_caches<Real>(to, low_pairs(x.re, x.im, all));
  store_past_caches<Real>(to + width<Real>, high_pairs(x.re, x.im, all));
}

/// The same with shuffles within 16 bytes only: SIMD lanes come as line_of_simd_lane() says. Bits of results do not
/// depend on the SIMD lane.
template <class Vec, int... I>
NEARFAR_INLINE simd_lanes_of<double> taken_apart(Vec a, Vec b, ints<I...>, double) {
  constexpr int n = sizeof...(I);
  return {__builtin_shufflevector(a, b, (I % 2 == 0 ? I : n + I - 1)...),
          __builtin_shufflevector(a, b, (I % 2 == 0 ? I + 1 : n + I)...)};
}
template <class Vec, int... I>
NEARFAR_INLINE simd_lanes_of<float> taken_apart(Vec a, Vec b, ints<I...>, float) {
  constexpr int n = sizeof...(I);
  return {__builtin_shufflevector(a, b, (I / 4 * 4 + 2 * (I % 2) + (I % 4 < 2 ? 0 : n))...),
          __builtin_shufflevector(a, b, (I / 4 * 4 + 2 * (I % 2) + 1 + (I % 4 < 2 ? 0 : n))...)};
}
template <int Half, class Vec, int... I>
NEARFAR_INLINE Vec put_together(Vec re, Vec im, ints<I...>) {
  constexpr int n = sizeof...(I), block = 16 / static_cast<int>(sizeof(re[0]));
  return __builtin_shufflevector(re, im,
                                 (I / block * block + I % block / 2 + Half * (block / 2) + (I % 2 == 0 ? 0 : n))...);
}
template <class Real>
NEARFAR_INLINE simd_lanes_of<Real> load_apart(const Real* from) {
  return taken_apart(load(from), load(from + width<Real>), first_ints<width<Real>>{}, Real{});
}
template <bool IsPastCaches, class Real>
NEARFAR_INLINE void store_together(Real* to, const simd_lanes_of<Real>& x) {
  constexpr first_ints<width<Real>> all{};
  const vec_of<Real> first = put_together<0>(x.re, x.im, all), second = put_together<1>(x.re, x.im, all);
  if constexpr (IsPastCaches) {
    store_past_caches<Real>(to, first);
    store_past_caches<Real>(to + width<Real>, second);
  } else {
    store(to, first);
    store(to + width<Real>, second);
  }
}

template <int D, class Vec, int... I>
NEARFAR_INLINE void exchange_blocks(Vec& a, Vec& b, ints<I...>) {
  constexpr int n = sizeof...(I);
  const Vec low = __builtin_shufflevector(a, b, ((I / D) % 2 == 0 ? I : n + I - D)...);
  b = __builtin_shufflevector(a, b, ((I / D) % 2 == 0 ? I + D : n + I)...);
  a = low;
}

/// Turns rows of a square into columns.
template <class Real, int D = width<Real> / 2>
NEARFAR_INLINE void turn_square(vec_of<Real> (&v)[width<Real>]) {
  if constexpr (D > 0) {
    unroll<width<Real>>([&](auto i) __attribute__((always_inline)) {
      if constexpr ((i & D) == 0) exchange_blocks<D>(v[i], v[i + D], first_ints<width<Real>>{});
    });
    turn_square<Real, D / 2>(v);
  }
}

}  // namespace
}  // namespace nearfar::fourier
