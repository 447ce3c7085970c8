// SPDX-License-Identifier: BSD-3-Clause
// Passes over a bundle. A pass reads and writes rows (one complex number of each SIMD lane) in a buffer, or straight in
// the caller's arrays where the SIMD lanes lie side by side.
#pragma once

#include "codelets.hpp"

namespace nearfar::fourier {
namespace {

/// Rows of a buffer: real parts of all SIMD lanes, then imaginary parts.
template <class Real>
struct buffer_rows {
  Real* at;
  NEARFAR_INLINE simd_lanes_of<Real> get(index_t k) const {
    const Real* p = at + k * (2 * width<Real>);
    return {load(p), load(p + width<Real>)};
  }
  NEARFAR_INLINE void put(index_t k, const simd_lanes_of<Real>& x) const {
    Real* p = at + k * (2 * width<Real>);
    store(p, x.re);
    store(p + width<Real>, x.im);
  }
};

/// Rows of interleaved complex numbers somewhere in memory.
template <class Real>
struct array_rows {
  Real* const* at;
  index_t offset;
  bool is_past_caches = false;
  explicit array_rows(const bundle_side<Real>& side)
      : at(side.rows), offset(side.offset), is_past_caches(side.how_far == reach::past_caches) {}

  /// Asks for the next bundle's part of the row, too: rows lie on pages of their own, which hardware does not fetch
  /// ahead.
  NEARFAR_INLINE simd_lanes_of<Real> get(index_t k) const {
    const Real* p = at[k] + offset;
    fetch<2 * width<Real>, 0>(p + 2 * width<Real>);
    return load_complex<Real>(p);
  }
  NEARFAR_INLINE void put(index_t k, const simd_lanes_of<Real>& x) const {
    Real* p = at[k] + offset;
    if (is_past_caches) return store_complex_past_caches<Real>(p, x);
    fetch<2 * width<Real>, 1>(p + 2 * width<Real>);
    store_complex<Real>(p, x);
  }
};

/// The same with SIMD lanes as they fall (line_of_simd_lane), for one distance of memory.
template <class Real, reach HowFar>
struct loose_rows {
  static constexpr reach how_far = HowFar;
  Real* const* at;
  index_t offset;
  explicit loose_rows(const bundle_side<Real>& side) : at(side.rows), offset(side.offset) {}

  NEARFAR_INLINE simd_lanes_of<Real> get(index_t k) const {
    const Real* p = at[k] + offset;
    if constexpr (HowFar != reach::near) fetch<2 * width<Real>, 0>(p + 2 * width<Real>);
    return load_apart<Real>(p);
  }
  NEARFAR_INLINE void put(index_t k, const simd_lanes_of<Real>& x) const {
    Real* p = at[k] + offset;
    if constexpr (HowFar == reach::far) fetch<2 * width<Real>, 1>(p + 2 * width<Real>);
    store_together<HowFar == reach::past_caches>(p, x);
  }
};

/// Calls body(rows) with the rows of a side for its distance.
template <class Real, class Body>
NEARFAR_INLINE void with_rows(const bundle_side<Real>& side, const Body& body) {
  switch (side.how_far) {
    case reach::near:
      return body(loose_rows<Real, reach::near>(side));
    case reach::far:
      return body(loose_rows<Real, reach::far>(side));
    case reach::past_caches:
      return body(loose_rows<Real, reach::past_caches>(side));
  }
}

template <int Radix, bool HasFactors, class Real, class From, class To>
NEARFAR_INLINE void run_butterfly(const From& from, index_t first, index_t step, const To& to, index_t place,
                                  index_t span, const Real* factors) {
  simd_lanes_of<Real> x[Radix];
  unroll<Radix>([&](auto j) __attribute__((always_inline)) { x[j] = from.get(first + j * step); });
  codelet<Radix>::run(x);
  unroll<Radix>([&](auto j) __attribute__((always_inline)) {
    if constexpr (HasFactors && j > 0)
      to.put(place + j * span, times(x[j], factors[2 * j - 2], factors[2 * j - 1]));
    else
      to.put(place + j * span, x[j]);
  });
}

template <int Radix, bool HasFactors, class Real, class From, class To>
[[gnu::noinline]] void run_codelets(const pass<Real>& p, From from, To to) {
  const index_t step = p.groups * p.span;
  const Real* factors = p.factors;
  for (index_t group = 0; group < p.groups; ++group) {
    const index_t first = group * p.span;
    for (index_t q = 0; q < p.span; ++q)
      run_butterfly<Radix, HasFactors>(from, first + q, step, to, first * Radix + q, p.span, factors);
    if constexpr (HasFactors) factors += 2 * (Radix - 1);
  }
}

/// Any odd radix, by its definition with mirrored inputs taken together.
template <class Real, class From, class To>
[[gnu::noinline]] void run_any_odd(const pass<Real>& p, From from, To to) {
  const int radix = p.radix, half = radix / 2;
  const index_t step = p.groups * p.span;
  simd_lanes_of<Real> sum[largest_pass / 2 + 1], difference[largest_pass / 2 + 1];
  const auto put = [&](index_t place, int j, const Real* w, const simd_lanes_of<Real>& x)
      __attribute__((always_inline)) {
    to.put(place + j * p.span, w ? times(x, w[2 * j - 2], w[2 * j - 1]) : x);
  };
  for (index_t group = 0; group < p.groups; ++group)
    for (index_t q = 0; q < p.span; ++q) {
      const index_t first = group * p.span + q, place = group * p.span * radix + q;
      const Real* w = p.factors ? p.factors + group * 2 * (radix - 1) : nullptr;
      const simd_lanes_of<Real> x0 = from.get(first);
      simd_lanes_of<Real> total = x0;
      for (int j = 1; j <= half; ++j) {
        const simd_lanes_of<Real> a = from.get(first + j * step), b = from.get(first + (radix - j) * step);
        sum[j] = a + b;
        difference[j] = a - b;
        total = total + sum[j];
      }
      to.put(place, total);
      for (int k = 1; k <= half; ++k) {
        simd_lanes_of<Real> a = x0;
        simd_lanes_of<Real> b{};
        int jk = 0;
        for (int j = 1; j <= half; ++j) {
          jk += k;
          if (jk >= radix) jk -= radix;
          const Real c = p.roots[2 * jk], s = p.roots[2 * jk + 1];
          a = {a.re + sum[j].re * c, a.im + sum[j].im * c};
          b = {b.re + difference[j].re * s, b.im + difference[j].im * s};
        }
        put(place, k, w, {a.re - b.im, a.im + b.re});
        put(place, radix - k, w, {a.re + b.im, a.im - b.re});
      }
    }
}

template <bool HasFactors, class Real, class From, class To>
NEARFAR_INLINE void run_pass_of(const pass<Real>& p, From from, To to) {
  switch (p.radix) {
    case 2:
      return run_codelets<2, HasFactors>(p, from, to);
    case 3:
      return run_codelets<3, HasFactors>(p, from, to);
    case 4:
      return run_codelets<4, HasFactors>(p, from, to);
    case 5:
      return run_codelets<5, HasFactors>(p, from, to);
    case 6:
      return run_codelets<6, HasFactors>(p, from, to);
    case 7:
      return run_codelets<7, HasFactors>(p, from, to);
    case 8:
      return run_codelets<8, HasFactors>(p, from, to);
    case 9:
      return run_codelets<9, HasFactors>(p, from, to);
    case 10:
      return run_codelets<10, HasFactors>(p, from, to);
    case 12:
      return run_codelets<12, HasFactors>(p, from, to);
    case 16:
      return run_codelets<16, HasFactors>(p, from, to);
    default:
      return run_any_odd(p, from, to);
  }
}

/// Not the last pass of a length.
template <class Real, class From>
void run_inner_pass(const pass<Real>& p, From from, Real* to) {
  run_pass_of<true>(p, from, buffer_rows<Real>{to});
}
/// The last (or only) one.
template <class Real, class From, class To>
void run_last_pass(const pass<Real>& p, From from, To to) {
  run_pass_of<false>(p, from, to);
}

/// All passes of a length, from anywhere to anywhere. `workspace` are two buffers; `from` may be the first of them,
/// then the second is written first. Without a single pass (length 1) the row is moved.
template <class Real, class From, class To>
void run_passes(const factorisation<Real>& r, From from, To to, Real* const (&workspace)[2]) {
  if (r.passes == 0) return to.put(0, from.get(0));
  if (r.passes == 1) return run_last_pass(r.pass_list[0], from, to);
  int next = 1;
  run_inner_pass(r.pass_list[0], from, workspace[next]);
  for (int i = 1; i + 1 < r.passes; ++i, next = 1 - next)
    run_inner_pass(r.pass_list[i], buffer_rows<Real>{workspace[next]}, workspace[1 - next]);
  run_last_pass(r.pass_list[r.passes - 1], buffer_rows<Real>{workspace[next]}, to);
}

}  // namespace
}  // namespace nearfar::fourier
