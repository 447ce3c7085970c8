// SPDX-License-Identifier: BSD-3-Clause
// Complex transforms of a bundle: passes, or the chirp around passes of another length.
#pragma once

#include "moves.hpp"

namespace nearfar::fourier {
namespace {

/// Length without small factors, as a convolution with the chirp. In place in room[0]. Source: Bluestein, A linear
/// filtering approach to the computation of the discrete Fourier transform, 1970.
template <class Real, class From, class To>
void run_chirp(const factorisation<Real>& r, From from, To to, Real* const (&workspace)[2]) {
  const buffer_rows<Real> rows{workspace[0]};
  for (index_t k = 0; k < r.length; ++k) rows.put(k, times(from.get(k), r.chirp[2 * k], r.chirp[2 * k + 1]));
  for (index_t k = r.length; k < r.padded; ++k) rows.put(k, simd_lanes_of<Real>{});
  run_passes(*r.inner, rows, rows, workspace);
  // The conjugate goes forward again, and is conjugated once more: that is backward.
  for (index_t k = 0; k < r.padded; ++k) {
    const simd_lanes_of<Real> x = times(rows.get(k), r.mirror[2 * k], r.mirror[2 * k + 1]);
    rows.put(k, {x.re, -x.im});
  }
  run_passes(*r.inner, rows, rows, workspace);
  for (index_t k = 0; k < r.length; ++k) {
    const simd_lanes_of<Real> x = rows.get(k);
    to.put(k, times(simd_lanes_of<Real>{x.re, -x.im}, r.chirp[2 * k], r.chirp[2 * k + 1]));
  }
}

/// From rows anywhere (room[0] included) to rows anywhere (either room included).
template <class Real, class From, class To>
void run_length(const factorisation<Real>& r, From from, To to, Real* const (&workspace)[2]) {
  if (r.padded > 0)
    run_chirp(r, from, to, workspace);
  else
    run_passes(r, from, to, workspace);
}

template <class Real>
void transform_complex(const job<Real>& j) {
  Real* const workspace[2] = {j.workspace[0], j.workspace[1]};
  const factorisation<Real>& r = *j.complex;
  const buffer_rows<Real> loaded{workspace[0]};
  if (j.in.rows && j.out.rows) {
    // Sides of different distance are rare, and a side's distance is about speed only.
    return with_rows(
        j.out, [&](auto to) __attribute__((always_inline)) {
          run_length(r, loose_rows<Real, decltype(to)::how_far>(j.in), to, workspace);
        });
  }
  if (!j.in.rows) load_bundle<2>(j.in, workspace[0]);
  if (j.out.rows)
    return with_rows(
        j.out, [&](auto to) __attribute__((always_inline)) { run_length(r, loaded, to, workspace); });
  if (j.in.rows)
    with_rows(
        j.in, [&](auto from) __attribute__((always_inline)) { run_length(r, from, loaded, workspace); });
  else
    run_length(r, loaded, loaded, workspace);
  store_bundle<2>(j.out, j.active, workspace[0]);
}

}  // namespace
}  // namespace nearfar::fourier
