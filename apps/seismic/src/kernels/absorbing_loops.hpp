// SPDX-License-Identifier: BSD-3-Clause
// The convolutional perfectly matched layer of one side, for isotropic media, on top of a step that knows nothing of
// it.
//
// Stretching the coordinate d makes of the second derivative  d2p + d psi + zeta  with two memories per point,
//
//     psi(n)  = b psi(n - 1)  + a dp(n)
//     zeta(n) = b zeta(n - 1) + a (d2p(n) + d psi(n)),    a and b of the depth in the layer
//
// First psi of the whole slab, then zeta and what is added to the field. psi is zero around the slab, whose innermost
// `radius` points have a = b = 0: psi's derivative reaches there.
//
// The transpose takes the same steps in the other order. In u = vp^2 dt^2 times the adjoint field, with the same two
// arrays:
//
//     zeta(n) = b zeta(n - 1) + a u(n)
//     psi(n)  = b psi(n - 1)  + a d (u(n) + zeta(n)),    and  d2 zeta + d psi  are added
//
// @source Komatitsch and Martin 2007; for the second-order equation Pasalic and McGarry 2010; the transpose is ours
#pragma once

#include <kernels/vectors.hpp>

namespace seismic {
namespace {

template <int W, int R>
class absorbing_slab {
  using v = vectors<W>;
  using vector = typename v::vector;

 public:
  explicit absorbing_slab(const slab_arguments& a)
      : a_(a), along_(stride(a.shape, a.d)), along_slab_(stride(a.slab, a.d)) {}

  void remember_slope() {
    for_vectors([&](index_t at, index_t here, vector from, vector keep) {
      const vector slope = a_.per_metre * v::template first<R>(a_.now + at, along_);
      v::put(a_.psi + here, keep * v::at(a_.psi + here) + from * slope);
    });
  }
  void add() {
    for_vectors([&](index_t at, index_t here, vector from, vector keep) {
      const vector slope = a_.per_metre * v::template first<R>(a_.psi + here, along_slab_);
      const vector bend = a_.per_metre * a_.per_metre * v::template second<R>(a_.now + at, along_);
      const vector zeta = keep * v::at(a_.zeta + here) + from * (bend + slope);
      v::put(a_.zeta + here, zeta);
      v::put(a_.next + at, v::at(a_.next + at) + v::at(a_.vp2 + at) * (slope + zeta));
    });
  }

  void weigh() {
    for_vectors([&](index_t at, index_t here, vector from, vector keep) {
      v::put(a_.zeta + here, keep * v::at(a_.zeta + here) + from * v::at(a_.now + at));
    });
  }
  void remember_weighed_slope() {
    for_vectors([&](index_t at, index_t here, vector from, vector keep) {
      const vector slope = a_.per_metre * (v::template first<R>(a_.now + at, along_) +
                                           v::template first<R>(a_.zeta + here, along_slab_));
      v::put(a_.psi + here, keep * v::at(a_.psi + here) + from * slope);
    });
  }
  void add_weighed() {
    for_vectors([&](index_t at, index_t here, vector, vector) {
      const vector slope = a_.per_metre * v::template first<R>(a_.psi + here, along_slab_);
      const vector bend = a_.per_metre * a_.per_metre * v::template second<R>(a_.zeta + here, along_slab_);
      v::put(a_.next + at, v::at(a_.next + at) + v::at(a_.vp2 + at) * (slope + bend));
    });
  }

 private:
  static index_t stride(const tile_shape& shape, int d) { return d == 0 ? shape.plane() : d == 1 ? shape.row() : 1; }

  /// Calls act(place in the fields, place in the slab, a, b).
  template <class Act>
  void for_vectors(Act act) const {
    for (index_t k = a_.z_begin; k < a_.z_end; ++k)
      for (index_t j = 0; j < a_.slab.ny; ++j)
        for (index_t i = 0; i < a_.slab.padded_nx(); i += W) {
          const index_t at = a_.shape.plane() * k + a_.shape.row() * j + i,
                        here = a_.slab.plane() * k + a_.slab.row() * j + i;
          if (a_.d == 2) {
            act(at, here, v::at(a_.from + i), v::at(a_.keep + i));
          } else {
            const index_t depth = a_.d == 0 ? k : j;
            act(at, here, vector{} + a_.from[depth], vector{} + a_.keep[depth]);
          }
        }
  }

  const slab_arguments& a_;
  index_t along_, along_slab_;
};

template <int W, int R>
void absorb(const slab_arguments& a) {
  absorbing_slab<W, R> slab(a);
  switch (a.pass) {
    case slab_pass::slope:
      return slab.remember_slope();
    case slab_pass::add:
      return slab.add();
    case slab_pass::weigh:
      return slab.weigh();
    case slab_pass::weighed_slope:
      return slab.remember_weighed_slope();
    case slab_pass::add_weighed:
      return slab.add_weighed();
  }
}

}  // namespace
}  // namespace seismic
