// SPDX-License-Identifier: BSD-3-Clause
// The two passes over an absorbing slab: the same sums as kernels/absorbing_loops.hpp, a point a thread.
#pragma once

#include <gpu/bodies/thread_place.hpp>
#include <kernels/kernels.hpp>

namespace seismic::gpu {

template <int R>
SEISMIC_GPU float first_difference(const float* f, index stride) {
  constexpr auto w = first_derivative(R);
  float sum = 0;
  for (int k = R; k >= 1; --k)
    sum += static_cast<float>(w[static_cast<std::size_t>(k)]) * (f[k * stride] - f[-k * stride]);
  return sum;
}
template <int R>
SEISMIC_GPU float second_difference(const float* f, index stride) {
  constexpr auto w = second_derivative(R);
  float sum = 0;
  for (int k = R; k >= 1; --k)
    sum += static_cast<float>(w[static_cast<std::size_t>(k)]) * (f[k * stride] + f[-k * stride]);
  return sum + static_cast<float>(w[0]) * f[0];
}

SEISMIC_GPU index stride_along(const tile_shape& shape, int d) {
  return d == 0 ? shape.plane() : d == 1 ? shape.row() : 1;
}

template <int R>
SEISMIC_GPU void absorb_at(const slab_arguments& a, index k, index j, index i) {
  const index at = k * a.shape.plane() + j * a.shape.row() + i, here = k * a.slab.plane() + j * a.slab.row() + i;
  const index along = stride_along(a.shape, a.d), along_slab = stride_along(a.slab, a.d);
  const index depth = a.d == 0 ? k : a.d == 1 ? j : i;
  const float from = a.from[depth], keep = a.keep[depth];
  if (!a.is_second_pass) {
    const float slope = a.per_metre * first_difference<R>(a.now + at, along);
    a.psi[here] = keep * a.psi[here] + from * slope;
    return;
  }
  const float slope = a.per_metre * first_difference<R>(a.psi + here, along_slab);
  const float bend = a.per_metre * a.per_metre * second_difference<R>(a.now + at, along);
  const float zeta = keep * a.zeta[here] + from * (bend + slope);
  a.zeta[here] = zeta;
  a.next[at] += a.vp2[at] * (slope + zeta);
}

/// A thread per point of the slab: x, y and z.
SEISMIC_GPU void absorb_body(const slab_arguments& a, const thread_place& t) {
  if (t.x >= a.slab.nx || t.y >= a.slab.ny || t.z >= a.slab.nz) return;
  if (a.shape.radius == 2) absorb_at<2>(a, t.z, t.y, t.x);
  if (a.shape.radius == 4) absorb_at<4>(a, t.z, t.y, t.x);
  if (a.shape.radius == 6) absorb_at<6>(a, t.z, t.y, t.x);
}

}  // namespace seismic::gpu
