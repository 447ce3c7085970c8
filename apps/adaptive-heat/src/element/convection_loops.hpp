// SPDX-License-Identifier: BSD-3-Clause
// The convection step of one block: classical Runge-Kutta, with balls of heat as sources.
#pragma once

#include <element/element_loops.hpp>

namespace adaptive_heat {
namespace {

/// Squares of distances to the ball's centre along each axis, in units of alpha^2.
template <int W, int N>
struct ball_distances {
  static constexpr int points = N + 1;
  vec<W> along_axis[3][points];

  ball_distances(const block_shape& shape, int simd_lane, const double* centre, double alpha) {
    const vec<W> side = load<W>(&shape.side[simd_lane]) / alpha;
    for (int axis = 0; axis < 3; ++axis) {
      const vec<W> start = (load<W>(&shape.anchor[axis][simd_lane]) - centre[axis]) / alpha;
      for (int i = 0; i < points; ++i) {
        const vec<W> d = start + side * constants<N>().place[i];
        along_axis[axis][i] = d * d;
      }
    }
  }
};

/// A block that is farther from the ball than its corners say has no source: points are inside the box of the element.
template <int W>
inline bool may_touch(const block_shape& shape, int simd_lane, const double* centre, double alpha) {
  for (int l = simd_lane; l < simd_lane + W; ++l) {
    double square = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double low = shape.anchor[axis][l] - centre[axis], high = low + shape.side[l];
      const double gap = low > 0 ? low : high < 0 ? -high : 0;
      square += gap * gap;
    }
    if (square <= alpha * alpha * (1 + 1e-9)) return true;
  }
  return false;
}

/// f += source.
template <int W, int N>
inline void add_source(const block_shape& shape, int simd_lane, const double* centre, double alpha, double strength,
                       vec<W>* f) {
  if (!may_touch<W>(shape, simd_lane, centre, alpha)) return;
  constexpr int points = N + 1;
  const ball_distances<W, N> d(shape, simd_lane, centre, alpha);
  const double* const c = constants<N>().profile;
  for (int k = 0; k < points; ++k)
    for (int j = 0; j < points; ++j) {
      const vec<W> jk = d.along_axis[1][j] + d.along_axis[2][k];
      for (int i = 0; i < points; ++i) {
        const vec<W> square = d.along_axis[0][i] + jk, s = 2 * square - 1;
        vec<W> half = s * c[profile_terms - 1] + c[profile_terms - 2];
        for (int t = profile_terms - 3; t >= 0; --t) half = half * s + c[t];
        const vec<W> zero{};
        f[(k * points + j) * points + i] += square <= 1 ? 2 * strength * half * half : zero;
      }
    }
}

/// k = 0 on faces that lie on the surface of the cube.
template <int W, int N>
inline void clear_surface(const block_shape& shape, int simd_lane, vec<W>* k) {
  const vec<W> one = vec<W>{} + 1, zero{};
  for (int face = 0; face < faces; ++face) {
    const int axis = face_axis(face), side = N * face_side(face);
    const vec<W> anchor = load<W>(&shape.anchor[axis][simd_lane]);
    const vec<W> keep = (side > 0 ? anchor + load<W>(&shape.side[simd_lane]) == 1 : anchor == 0) ? zero : one;
    constexpr int points = N + 1, plane = points * points;
    const int stride = axis == 0   ? 1
                       : axis == 1 ? points
                                   : plane,
              inner = axis == 0 ? points : 1, outer = axis == 2 ? points : plane;
    for (int b = 0; b < points; ++b)
      for (int a = 0; a < points; ++a) k[a * inner + b * outer + side * stride] *= keep;
  }
}

/// u := u + dt k, k being the average of the four stages.
template <int W, int N>
inline void convect_simd_lanes(const convection& c, index_t block, int simd_lane) {
  const block_shape& shape = c.fields->shape[block];
  constexpr int volume = point_counts{N}.volume();
  double* const field = c.fields->u + block * point_counts{N}.stored() * simd_lanes + simd_lane;
  const vec<W> slope = load<W>(&shape.slope[simd_lane]);
  const auto& derivative = constants<N>().derivative;
  const mirrored_matrix<W, N, -1> x(derivative, c.flow[0]), y(derivative, c.flow[1]), z(derivative, c.flow[2]);
  vec<W> u[volume], f[volume], sum[volume];
  const auto stage = [&](int when) {
    along_axes<W, N, -1>(x, y, z, u, f, [&](vec<W>, vec<W> sum, int) { return -slope * sum; });
    for (int s = 0; s < c.source_count; ++s)
      add_source<W, N>(shape, simd_lane, c.sources[s].centre[when], c.sources[s].radius, c.sources[s].strength, f);
  };
  for (int n = 0; n < volume; ++n) u[n] = load<W>(field + n * simd_lanes);
  stage(0);
  for (int n = 0; n < volume; ++n) sum[n] = f[n], u[n] = load<W>(field + n * simd_lanes) + c.dt / 2 * f[n];
  stage(1);
  for (int n = 0; n < volume; ++n) sum[n] += 2 * f[n], u[n] = load<W>(field + n * simd_lanes) + c.dt / 2 * f[n];
  stage(1);
  for (int n = 0; n < volume; ++n) sum[n] += 2 * f[n], u[n] = load<W>(field + n * simd_lanes) + c.dt * f[n];
  stage(2);
  for (int n = 0; n < volume; ++n) sum[n] = (sum[n] + f[n]) / 6;
  if (c.touches_surface[block] != 0) clear_surface<W, N>(shape, simd_lane, sum);
  for (int n = 0; n < volume; ++n) u[n] = load<W>(field + n * simd_lanes) + c.dt * sum[n];
  for (int n = 0; n < volume; ++n) store<W>(field + n * simd_lanes, u[n]);
  if (c.weights_of_block[block] >= 0) weigh<W, N>(c.weights[c.weights_of_block[block]], simd_lane, u);
  give_or_leave<W, N>(*c.fields, block, simd_lane, u, c.average);
}

}  // namespace
}  // namespace adaptive_heat
