// SPDX-License-Identifier: BSD-3-Clause
// Real input or output: pairs of reals are taken as complex numbers of half the length where that is even. Rows of
// reals in a buffer are at the same time rows of complex numbers, two to one. Source: the half-length trick as in Press
// et al., Numerical Recipes, section 12.3.
#pragma once

#include "complex_bundle.hpp"

namespace nearfar::fourier {
namespace {

template <class Real>
struct real_rows {
  Real* at;
  NEARFAR_INLINE vec_of<Real> get(index_t k) const { return load<Real>(at + k * width<Real>); }
  NEARFAR_INLINE void put(index_t k, vec_of<Real> x) const { store<Real>(at + k * width<Real>, x); }
};

template <class Real>
NEARFAR_INLINE simd_lanes_of<Real> mirrored(const simd_lanes_of<Real>& a) {
  return {a.re, -a.im};
}

/// Splits the transform z of pairs into that of the reals; `z` and `to` may be the same rows.
template <class Real, class To>
void split_pairs(const real_factorisation<Real>& r, buffer_rows<Real> z, To to) {
  const index_t h = r.inner / 2;
  const Real half = Real(0.5);
  const vec_of<Real> none{};
  const simd_lanes_of<Real> first = z.get(0);
  for (index_t k = 1; 2 * k <= h; ++k) {
    const simd_lanes_of<Real> a = z.get(k), b = mirrored(z.get(h - k));
    const simd_lanes_of<Real> sum = a + b, turned = times(times_minus_i(a - b), r.halving[2 * k], r.halving[2 * k + 1]);
    to.put(k, {(sum.re + turned.re) * half, (sum.im + turned.im) * half});
    to.put(h - k, {(sum.re - turned.re) * half, (turned.im - sum.im) * half});
  }
  to.put(0, {first.re + first.im, none});
  to.put(h, {first.re - first.im, none});
}

/// The opposite, times two, with rows of the pairs' transform in reverse order, which makes forward passes backward. In
/// place.
template <class Real>
void join_pairs(const real_factorisation<Real>& r, buffer_rows<Real> x) {
  const index_t h = r.inner / 2;
  const vec_of<Real> first = x.get(0).re, last = x.get(h).re;
  for (index_t k = 1; 2 * k <= h; ++k) {
    const simd_lanes_of<Real> a = x.get(k), b = mirrored(x.get(h - k));
    const simd_lanes_of<Real> sum = a + b,
                              turned = times(times_minus_i(a - b), -r.halving[2 * k], r.halving[2 * k + 1]);
    x.put(h - k, sum + turned);
    x.put(k, mirrored(sum - turned));
  }
  x.put(0, {first + last, first - last});
}

/// Workspace 0 holds r.inner rows of reals; rows 0 … inner/2 of their transform go to `to`, which may be room 0.
template <class Real, class To>
void transform_rows_of_reals(const real_factorisation<Real>& r, To to, Real* const (&workspace)[2]) {
  const buffer_rows<Real> z{workspace[0]};
  if (r.is_halved) {
    run_length(*r.complex, z, z, workspace);
    return split_pairs(r, z, to);
  }
  const real_rows<Real> x{workspace[0]};
  const vec_of<Real> none{};
  for (index_t k = r.inner - 1; k >= 0; --k) {
    const vec_of<Real> re = x.get(k);
    z.put(k, {re, none});
  }
  run_length(*r.complex, z, z, workspace);
  for (index_t k = 0; k <= r.inner / 2; ++k) to.put(k, z.get(k));
}

/// Workspace 0 holds rows 0 … inner/2 of a spectrum, and then r.inner rows of reals: backward.
template <class Real>
void transform_rows_to_reals(const real_factorisation<Real>& r, Real* const (&workspace)[2]) {
  const buffer_rows<Real> z{workspace[0]};
  if (r.is_halved) {
    join_pairs(r, z);
    return run_length(*r.complex, z, z, workspace);
  }
  const vec_of<Real> none{};
  const vec_of<Real> first = z.get(0).re;
  z.put(0, {first, none});
  for (index_t k = 1; k <= r.inner / 2; ++k) {
    const simd_lanes_of<Real> a = z.get(k);
    z.put(r.inner - k, a);
    z.put(k, mirrored(a));
  }
  run_length(*r.complex, z, z, workspace);
  const real_rows<Real> x{workspace[0]};
  for (index_t k = 0; k < r.inner; ++k) {
    const vec_of<Real> re = z.get(k).re;
    x.put(k, re);
  }
}

template <class Real>
void transform_real_to_complex(const job<Real>& j) {
  Real* const workspace[2] = {j.workspace[0], j.workspace[1]};
  load_bundle<1>(j.in, workspace[0]);
  if (j.out.rows) return transform_rows_of_reals(*j.reals, array_rows<Real>(j.out), workspace);
  transform_rows_of_reals(*j.reals, buffer_rows<Real>{workspace[0]}, workspace);
  store_bundle<2>(j.out, j.active, workspace[0]);
}

template <class Real>
void transform_complex_to_real(const job<Real>& j) {
  Real* const workspace[2] = {j.workspace[0], j.workspace[1]};
  load_bundle<2>(j.in, workspace[0]);
  transform_rows_to_reals(*j.reals, workspace);
  store_bundle<1>(j.out, j.active, workspace[0]);
}

}  // namespace
}  // namespace nearfar::fourier
