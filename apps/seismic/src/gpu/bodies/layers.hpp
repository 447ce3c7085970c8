// SPDX-License-Identifier: BSD-3-Clause
// The passes over an absorbing slab: the same sums as kernels/absorbing_loops.hpp, a point a thread.
#pragma once

#include <gpu/bodies/differences.hpp>
#include <gpu/bodies/thread_place.hpp>
#include <kernels/kernels.hpp>

namespace seismic::gpu {

SEISMIC_GPU index_t stride_along(const tile_shape& shape, int d) {
  return d == 0 ? shape.plane() : d == 1 ? shape.row() : 1;
}

template <int R>
SEISMIC_GPU void absorb_at(const slab_arguments& a, index_t k, index_t j, index_t i) {
  const index_t at = k * a.shape.plane() + j * a.shape.row() + i, here = k * a.slab.plane() + j * a.slab.row() + i;
  const index_t along = stride_along(a.shape, a.d), along_slab = stride_along(a.slab, a.d);
  const index_t depth = a.d == 0 ? k : a.d == 1 ? j : i;
  const float from = a.from[depth], keep = a.keep[depth], bends = a.per_metre * a.per_metre;
  const auto remember = [&](float* memory, float what) { return memory[here] = keep * memory[here] + from * what; };
  const auto slope_of_psi = [&] { return a.per_metre * first<R>(a.psi + here, along_slab); };
  switch (a.pass) {
    case slab_pass::slope:
      remember(a.psi, a.per_metre * first<R>(a.now + at, along));
      return;
    case slab_pass::add: {
      const float slope = slope_of_psi();
      const float zeta = remember(a.zeta, bends * second<R>(a.now + at, along) + slope);
      a.next[at] += a.vp2[at] * (slope + zeta);
      return;
    }
    case slab_pass::weigh:
      remember(a.zeta, a.now[at]);
      return;
    case slab_pass::weighed_slope:
      remember(a.psi, a.per_metre * (first<R>(a.now + at, along) + first<R>(a.zeta + here, along_slab)));
      return;
    case slab_pass::add_weighed:
      a.next[at] += a.vp2[at] * (slope_of_psi() + bends * second<R>(a.zeta + here, along_slab));
      return;
  }
}

/// A thread per point of the slab: x, y and z.
SEISMIC_GPU void absorb_body(const slab_arguments& a, const thread_place& t) {
  if (t.x >= a.slab.nx || t.y >= a.slab.ny || t.z >= a.slab.nz) return;
  if (a.shape.radius == 2) absorb_at<2>(a, t.z, t.y, t.x);
  if (a.shape.radius == 4) absorb_at<4>(a, t.z, t.y, t.x);
  if (a.shape.radius == 6) absorb_at<6>(a, t.z, t.y, t.x);
}

}  // namespace seismic::gpu
