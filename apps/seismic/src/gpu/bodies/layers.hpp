// SPDX-License-Identifier: BSD-3-Clause
// The passes over an absorbing slab: the same sums as kernels/absorbing_loops.hpp and tilted_layers.hpp, a point a
// thread.
#pragma once

#include <gpu/bodies/differences.hpp>
#include <gpu/bodies/thread_place.hpp>
#include <kernels/kernels.hpp>
#include <kernels/tilted_layers.hpp>

namespace seismic::gpu {

/// One point, as tilted_layer takes it.
struct one_point {
  using vector = float;
  static SEISMIC_GPU float at(const float* p) { return *p; }
  static SEISMIC_GPU void put(float* p, float value) { *p = value; }
  template <int R>
  static SEISMIC_GPU float first(const float* p, index_t stride) {
    return gpu::first<R>(p, stride);
  }
  template <int R>
  static SEISMIC_GPU float second(const float* p, index_t stride) {
    return gpu::second<R>(p, stride);
  }
};

template <int R>
SEISMIC_GPU void absorb_at(const slab_arguments& a, index_t k, index_t j, index_t i) {
  const index_t at = k * a.shape.plane() + j * a.shape.row() + i, here = k * a.slab.plane() + j * a.slab.row() + i;
  const index_t along = stride_along(a.shape, a.d), along_slab = stride_along(a.slab, a.d);
  const index_t depth = a.d == 0 ? k : a.d == 1 ? j : i;
  const float from = a.from[depth], keep = a.keep[depth];
  const float per_metre = a.per_metre[static_cast<unsigned>(a.d)], bends = per_metre * per_metre;
  const auto remember = [&](float* memory, float what) { return memory[here] = keep * memory[here] + from * what; };
  const auto slope_of_psi = [&] { return per_metre * first<R>(a.psi[0] + here, along_slab); };
  switch (a.pass) {
    case slab_pass::slope:
      for (unsigned f = 0; f < 2 && a.now[f] != nullptr; ++f)
        remember(a.psi[f], per_metre * first<R>(a.now[f] + at, along));
      return;
    case slab_pass::add: {
      const float slope = slope_of_psi();
      const float zeta = remember(a.zeta[0], bends * second<R>(a.now[0] + at, along) + slope);
      a.next[0][at] += a.coefficients[0][at] * (slope + zeta);
      return;
    }
    case slab_pass::weigh:
      remember(a.zeta[0], a.now[0][at]);
      return;
    case slab_pass::weighed_slope:
      remember(a.psi[0], per_metre * (first<R>(a.now[0] + at, along) + first<R>(a.zeta[0] + here, along_slab)));
      return;
    case slab_pass::add_weighed:
      a.next[0][at] += a.coefficients[0][at] * (slope_of_psi() + bends * second<R>(a.zeta[0] + here, along_slab));
      return;
    case slab_pass::add_tilted:
      tilted_layer<one_point, R>(a, at, here, here, from, keep).add();
      return;
    case slab_pass::add_edge: {
      const index_t in_psi = k * a.psi_shape.plane() + j * a.psi_shape.row() + i;
      tilted_layer<one_point, R>(a, at, here, in_psi, from, keep).add_edge();
      return;
    }
  }
}

/// Planes and rows that a pass is of beyond the slab's own.
SEISMIC_GPU index_t rim_along(const slab_arguments& a, int d) {
  return a.pass != slab_pass::slope || a.d == d || (d == 1 && a.is_flat) ? 0 : a.rim;
}

/// A thread per point of the slab and its rim: x, y and z.
SEISMIC_GPU void absorb_body(const slab_arguments& a, const thread_place& t) {
  const index_t above = rim_along(a, 0), beside = rim_along(a, 1), k = t.z - above, j = t.y - beside;
  if (t.x >= a.slab.nx || j >= a.slab.ny + beside || k >= a.slab.nz + above) return;
  if (a.shape.radius == 2) absorb_at<2>(a, k, j, t.x);
  if (a.shape.radius == 4) absorb_at<4>(a, k, j, t.x);
  if (a.shape.radius == 6) absorb_at<6>(a, k, j, t.x);
}

}  // namespace seismic::gpu
