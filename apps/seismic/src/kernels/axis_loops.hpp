// SPDX-License-Identifier: BSD-3-Clause
// Steps of systems whose derivatives lie along the axes of the grid: isotropic, and Fletcher's with a vertical axis of
// symmetry.
//
// One pass over the points: each is the sum of three second differences (25 points for radius 4). What a vector of x
// needs along y and z comes from the cache as long as 2 radius + 1 planes of the rows that the caller asks for fit
// there.
#pragma once

#include <kernels/vectors.hpp>

namespace seismic {
namespace {

/// Calls point(offset of a vector from (0, 0, 0), its damping kept) for all vectors of the rows asked for.
template <int W, class Point>
void for_vectors(const step_arguments& a, Point point) {
  using v = vectors<W>;
  const typename v::vector one = typename v::vector{} + 1.0f;
  for (index_t k = a.z_begin; k < a.z_end; ++k)
    for (index_t j = a.y_begin; j < a.y_end; ++j) {
      const index_t row = a.shape.plane() * k + a.shape.row() * j;
      const float of_row = a.damping[0][k] + a.damping[1][j];
      for (index_t i = 0; i < a.shape.padded_nx(); i += W) point(row + i, one - (of_row + v::at(a.damping[2] + i)));
    }
}

inline std::array<float, 3> per_square_metre(const step_arguments& a) {
  return {a.per_metre[0] * a.per_metre[0], a.per_metre[1] * a.per_metre[1], a.per_metre[2] * a.per_metre[2]};
}

template <int W, int R>
void isotropic_step(const step_arguments& a) {
  using v = vectors<W>;
  const index_t row = a.shape.row(), plane = a.shape.plane();
  const float *p = a.now[0], *vp2 = a.coefficients[0];
  const auto [sz, sy, sx] = per_square_metre(a);
  for_vectors<W>(a, [&](index_t at, typename v::vector keep) {
    auto sum = sz * v::template second<R>(p + at, plane) + sx * v::template second_along_x<R>(p + at);
    if (!a.is_flat) sum += sy * v::template second<R>(p + at, row);
    advance<v>(a.next[0] + at, p + at, keep, v::at(vp2 + at) * sum);
  });
}

/// p_tt = vpx^2 H2 p + vpz^2 H1 q + vs^2 H1 (p - q), q_tt = vpn^2 H2 p + vpz^2 H1 q - vs^2 H2 (p - q), with H1 = d2/dz2
/// and H2 = d2/dx2 + d2/dy2.
/// @source Fletcher, Du and Fowler 2009
template <int W, int R>
void fletcher_vti_step(const step_arguments& a) {
  using v = vectors<W>;
  const index_t row = a.shape.row(), plane = a.shape.plane();
  const float *p = a.now[0], *q = a.now[1];
  const auto [sz, sy, sx] = per_square_metre(a);
  for_vectors<W>(a, [&](index_t at, typename v::vector keep) {
    const auto across = [&](const float* f) {
      const auto xx = sx * v::template second_along_x<R>(f + at);
      return a.is_flat ? xx : xx + sy * v::template second<R>(f + at, row);
    };
    const auto h1p = sz * v::template second<R>(p + at, plane), h1q = sz * v::template second<R>(q + at, plane);
    const auto h2p = across(p), h2q = across(q);
    const auto vertical = v::at(a.coefficients[2] + at) * h1q, vs2 = v::at(a.coefficients[3] + at);
    advance<v>(a.next[0] + at, p + at, keep, v::at(a.coefficients[0] + at) * h2p + vertical + vs2 * (h1p - h1q));
    advance<v>(a.next[1] + at, q + at, keep, v::at(a.coefficients[1] + at) * h2p + vertical - vs2 * (h2p - h2q));
  });
}

}  // namespace
}  // namespace seismic
