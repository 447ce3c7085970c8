// SPDX-License-Identifier: BSD-3-Clause
// Between the caller's arrays and the rows of a buffer: straight where SIMD lanes lie side by side, by turning squares
// where the elements of a SIMD lane do, one by one otherwise.
#pragma once

#include "passes.hpp"

namespace nearfar::fourier {
namespace {

/// Which row of the buffer element k is.
template <class Real>
NEARFAR_INLINE index_t row_of(const bundle_side<Real>& side, index_t k) {
  return side.is_reversed && k > 0 ? side.length - k : k;
}

/// SIMD lanes' reals k0 … k0 + width are turned into vectors of all SIMD lanes, one per real.
template <reach HowFar, class Real>
NEARFAR_INLINE void load_square(const simd_lane_piece<Real>& piece, index_t at, vec_of<Real> (&v)[width<Real>]) {
  unroll<width<Real>>([&](auto l) __attribute__((always_inline)) {
    if constexpr (HowFar != reach::near) fetch<width<Real>, 0>(piece.simd_lane[l] + at + piece.ahead);
    v[l] = load<Real>(piece.simd_lane[l] + at);
  });
  turn_square<Real>(v);
}

template <int Components, reach HowFar, class Real>
void load_squares(const bundle_side<Real>& side, const simd_lane_piece<Real>& piece, Real* to) {
  constexpr index_t block = width<Real> / Components;
  for (index_t k = piece.begin; k + block <= piece.end; k += block) {
    vec_of<Real> v[width<Real>];
    load_square<HowFar>(piece, piece.offset + (k - piece.begin) * Components, v);
    unroll<width<Real>>([&](auto i) __attribute__((always_inline)) {
      store<Real>(to + (row_of(side, k + i / Components) * Components + i % Components) * width<Real>, v[i]);
    });
  }
}

template <int Components, class Real>
void load_singles(const bundle_side<Real>& side, const simd_lane_piece<Real>& piece, index_t begin, Real* to) {
  for (index_t k = begin; k < piece.end; ++k) {
    const index_t at = piece.offset + (k - piece.begin) * piece.stride;
    Real* row = to + row_of(side, k) * (Components * width<Real>);
    for (int l = 0; l < width<Real>; ++l)
      for (int c = 0; c < Components; ++c) row[c * width<Real> + l] = piece.simd_lane[l][at + c];
  }
}

template <int Components, class Real>
void load_rows(const bundle_side<Real>& side, Real* to) {
  for (index_t k = 0; k < side.length; ++k) {
    Real* row = to + k * (Components * width<Real>);
    const Real* from = side.rows[k] + side.offset;
    if (side.how_far != reach::near) fetch<Components * width<Real>, 0>(from + Components * width<Real>);
    if constexpr (Components == 2)
      buffer_rows<Real>{row}.put(0, load_complex<Real>(from));
    else
      store<Real>(row, load<Real>(from));
  }
}

/// All elements of a bundle into a buffer.
template <int Components, class Real>
void load_bundle(const bundle_side<Real>& side, Real* to) {
  if (side.rows) return load_rows<Components>(side, to);
  constexpr index_t block = width<Real> / Components;
  for (index_t i = 0; i < side.piece_count; ++i) {
    const simd_lane_piece<Real>& piece = side.pieces[i];
    index_t begin = piece.begin;
    if (piece.stride == Components) {
      if (side.how_far == reach::near)
        load_squares<Components, reach::near>(side, piece, to);
      else
        load_squares<Components, reach::far>(side, piece, to);
      begin += (piece.end - piece.begin) / block * block;
    }
    load_singles<Components>(side, piece, begin, to);
  }
}

template <int Components, reach HowFar, class Real>
void store_squares(const simd_lane_piece<Real>& piece, int active, const Real* from) {
  constexpr index_t block = width<Real> / Components;
  for (index_t k = piece.begin; k + block <= piece.end; k += block) {
    vec_of<Real> v[width<Real>];
    unroll<width<Real>>([&](auto i) __attribute__((always_inline)) {
      v[i] = load<Real>(from + (k * Components + i) * width<Real>);
    });
    turn_square<Real>(v);
    const index_t at = piece.offset + (k - piece.begin) * Components;
    unroll<width<Real>>([&](auto l) __attribute__((always_inline)) {
      if (l >= active) return;
      if constexpr (HowFar == reach::past_caches) return store_past_caches<Real>(piece.simd_lane[l] + at, v[l]);
      if constexpr (HowFar == reach::far) fetch<width<Real>, 1>(piece.simd_lane[l] + at + piece.ahead);
      store<Real>(piece.simd_lane[l] + at, v[l]);
    });
  }
}

template <int Components, class Real>
void store_singles(const simd_lane_piece<Real>& piece, int active, index_t begin, const Real* from) {
  for (index_t k = begin; k < piece.end; ++k) {
    const index_t at = piece.offset + (k - piece.begin) * piece.stride;
    const Real* row = from + k * (Components * width<Real>);
    for (int l = 0; l < active; ++l)
      for (int c = 0; c < Components; ++c) piece.simd_lane[l][at + c] = row[c * width<Real> + l];
  }
}

template <int Components, class Real>
void store_rows(const bundle_side<Real>& side, const Real* from) {
  for (index_t k = 0; k < side.length; ++k) {
    const Real* row = from + k * (Components * width<Real>);
    if constexpr (Components == 2) {
      array_rows<Real>(side).put(k, {load<Real>(row), load<Real>(row + width<Real>)});
    } else if (side.how_far == reach::past_caches) {
      store_past_caches<Real>(side.rows[k] + side.offset, load<Real>(row));
    } else {
      Real* to = side.rows[k] + side.offset;
      if (side.how_far == reach::far) fetch<width<Real>, 1>(to + width<Real>);
      store<Real>(to, load<Real>(row));
    }
  }
}

/// All elements of a bundle out of a buffer; sides that are stored are never reversed.
template <int Components, class Real>
void store_bundle(const bundle_side<Real>& side, int active, const Real* from) {
  if (side.rows) return store_rows<Components>(side, from);
  constexpr index_t block = width<Real> / Components;
  for (index_t i = 0; i < side.piece_count; ++i) {
    const simd_lane_piece<Real>& piece = side.pieces[i];
    index_t begin = piece.begin;
    if (piece.stride == Components) {
      if (side.how_far == reach::near)
        store_squares<Components, reach::near>(piece, active, from);
      else if (side.how_far == reach::far)
        store_squares<Components, reach::far>(piece, active, from);
      else
        store_squares<Components, reach::past_caches>(piece, active, from);
      begin += (piece.end - piece.begin) / block * block;
    }
    store_singles<Components>(piece, active, begin, from);
  }
}

}  // namespace
}  // namespace nearfar::fourier
