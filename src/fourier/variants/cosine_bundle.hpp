// SPDX-License-Identifier: BSD-3-Clause
// Cosine and sine transforms of a bundle, around a real or complex transform. A sine is a cosine with the input or
// output reversed and every other sign changed. Source: the second and third kinds as Makhoul, A fast cosine transform
// in one and two dimensions, 1980; the fourth by half as many complex numbers, the rest by definition.
#pragma once

#include "real_bundle.hpp"

namespace nearfar::fourier {
namespace {

/// The caller's line in workspace 2, the transform in workspaces 0 and 1.
template <class Real>
struct cosine_work {
  const real_factorisation<Real>& r;
  index_t n;
  bool is_sine;
  real_rows<Real> line, x;
  buffer_rows<Real> z;
  Real* workspace[2];

  explicit cosine_work(const job<Real>& j)
      : r(*j.reals),
        n(j.reals->length),
        is_sine(j.reals->what >= kind::dst1),
        line{j.workspace[2]},
        x{j.workspace[0]},
        z{j.workspace[0]},
        workspace{j.workspace[0], j.workspace[1]} {}

  /// Sines of the third and fourth kinds read their line from its end.
  vec_of<Real> from_end(index_t k) const { return line.get(is_sine ? n - 1 - k : k); }
  void put_alternating(index_t k, vec_of<Real> value) const { line.put(k, is_sine && k % 2 == 1 ? -value : value); }
  simd_lanes_of<Real> turned(index_t row, index_t root) const {
    return times(z.get(row), r.turning[2 * root], r.turning[2 * root + 1]);
  }
};

template <class Real>
void first_cosine(const cosine_work<Real>& w) {
  for (index_t k = 0; k < w.n; ++k) w.x.put(k, w.line.get(k));
  for (index_t k = 1; k < w.n - 1; ++k) w.x.put(w.r.inner - k, w.line.get(k));
  transform_rows_of_reals(w.r, w.z, w.workspace);
  for (index_t k = 0; k < w.n; ++k) w.line.put(k, w.z.get(k).re);
}

template <class Real>
void first_sine(const cosine_work<Real>& w) {
  const vec_of<Real> none{};
  w.x.put(0, none);
  w.x.put(w.n + 1, none);
  for (index_t k = 0; k < w.n; ++k) {
    const vec_of<Real> value = w.line.get(k);
    w.x.put(k + 1, value);
    w.x.put(w.r.inner - 1 - k, -value);
  }
  transform_rows_of_reals(w.r, w.z, w.workspace);
  for (index_t k = 0; k < w.n; ++k) w.line.put(k, -w.z.get(k + 1).im);
}

template <class Real>
void second_kind(const cosine_work<Real>& w) {
  const index_t n = w.n;
  for (index_t i = 0; 2 * i < n; ++i) w.x.put(i, w.line.get(2 * i));
  for (index_t i = 0; 2 * i + 1 < n; ++i) {
    const vec_of<Real> value = w.line.get(2 * i + 1);
    w.x.put(n - 1 - i, w.is_sine ? -value : value);
  }
  transform_rows_of_reals(w.r, w.z, w.workspace);
  const auto place = [&](index_t k) { return w.is_sine ? n - 1 - k : k; };
  for (index_t k = 0; 2 * k <= n; ++k) {
    const simd_lanes_of<Real> q = w.turned(k, k);
    if (k > 0) w.line.put(place(n - k), q.im * Real(-2));
    w.line.put(place(k), q.re * Real(2));
  }
}

template <class Real>
void third_kind(const cosine_work<Real>& w) {
  const index_t n = w.n;
  const vec_of<Real> none{};
  for (index_t k = 0; 2 * k <= n; ++k) {
    const vec_of<Real> mirror = k > 0 ? w.from_end(n - k) : none;
    const simd_lanes_of<Real> pair{w.from_end(k), -mirror};
    w.z.put(k, times(pair, w.r.turning[2 * k], -w.r.turning[2 * k + 1]));
  }
  transform_rows_to_reals(w.r, w.workspace);
  for (index_t i = 0; 2 * i < n; ++i) w.put_alternating(2 * i, w.x.get(i));
  for (index_t i = 0; 2 * i + 1 < n; ++i) w.put_alternating(2 * i + 1, w.x.get(n - 1 - i));
}

template <class Real>
void fourth_kind_even(const cosine_work<Real>& w) {
  const index_t n = w.n;
  for (index_t m = 0; 2 * m < n; ++m) {
    const simd_lanes_of<Real> pair{w.from_end(2 * m), w.from_end(n - 1 - 2 * m)};
    w.z.put(m, times(pair, w.r.turning[2 * m], w.r.turning[2 * m + 1]));
  }
  run_length(*w.r.complex, w.z, w.z, w.workspace);
  for (index_t k = 0; 2 * k < n; ++k) {
    const simd_lanes_of<Real> c = w.turned(k, k);
    w.put_alternating(2 * k, c.re * Real(2));
    w.put_alternating(n - 1 - 2 * k, c.im * Real(-2));
  }
}

/// Twice the length, half of it zeros: right, but not fast.
template <class Real>
void fourth_kind_odd(const cosine_work<Real>& w) {
  const index_t n = w.n;
  const vec_of<Real> none{};
  for (index_t k = 0; k < n; ++k) {
    const vec_of<Real> value = w.from_end(k);
    w.z.put(k, {value * w.r.turning[2 * k], value * w.r.turning[2 * k + 1]});
  }
  for (index_t k = n; k < 2 * n; ++k) w.z.put(k, {none, none});
  run_length(*w.r.complex, w.z, w.z, w.workspace);
  for (index_t k = 0; k < n; ++k) w.put_alternating(k, w.turned(k, n + k).re * Real(2));
}

template <class Real>
void transform_cosines(const job<Real>& j) {
  const cosine_work<Real> w(j);
  load_bundle<1>(j.in, j.workspace[2]);
  switch (j.reals->what) {
    case kind::dct1:
      first_cosine(w);
      break;
    case kind::dst1:
      first_sine(w);
      break;
    case kind::dct2:
    case kind::dst2:
      second_kind(w);
      break;
    case kind::dct3:
    case kind::dst3:
      third_kind(w);
      break;
    default:
      w.r.is_halved ? fourth_kind_even(w) : fourth_kind_odd(w);
  }
  store_bundle<1>(j.out, j.active, j.workspace[2]);
}

/// Every kind on reals.
template <class Real>
void transform_reals(const job<Real>& j) {
  if (j.reals->what == kind::real_to_complex) return transform_real_to_complex(j);
  if (j.reals->what == kind::complex_to_real) return transform_complex_to_real(j);
  transform_cosines(j);
}

}  // namespace
}  // namespace nearfar::fourier
