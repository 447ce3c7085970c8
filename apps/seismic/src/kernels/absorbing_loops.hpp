// SPDX-License-Identifier: BSD-3-Clause
// The convolutional perfectly matched layer of one side, on top of a step that knows nothing of it: of isotropic media
// here, of others from psi on in tilted_layers.hpp.
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

#include <kernels/tilted_layers.hpp>
#include <kernels/vectors.hpp>

namespace seismic {
namespace {

template <int W, int R>
class absorbing_slab {
  using v = vectors<W>;
  using vector = typename v::vector;

 public:
  explicit absorbing_slab(const slab_arguments& a)
      : a_(a), along_(stride_along(a.shape, a.d)), along_slab_(stride_along(a.slab, a.d)) {}

  void remember_slope() {
    for_vectors([&](index_t at, index_t here, vector from, vector keep) {
      for (std::size_t f = 0; f < fields_; ++f) {
        const vector slope = per_metre_ * v::template first<R>(a_.now[f] + at, along_);
        v::put(a_.psi[f] + here, keep * v::at(a_.psi[f] + here) + from * slope);
      }
    });
  }
  void add() {
    for_vectors([&](index_t at, index_t here, vector from, vector keep) {
      const vector slope = per_metre_ * v::template first<R>(a_.psi[0] + here, along_slab_);
      const vector bend = per_metre_ * per_metre_ * v::template second<R>(a_.now[0] + at, along_);
      const vector zeta = keep * v::at(a_.zeta[0] + here) + from * (bend + slope);
      v::put(a_.zeta[0] + here, zeta);
      v::put(a_.next[0] + at, v::at(a_.next[0] + at) + v::at(a_.coefficients[0] + at) * (slope + zeta));
    });
  }

  void weigh() {
    for_vectors([&](index_t at, index_t here, vector from, vector keep) {
      v::put(a_.zeta[0] + here, keep * v::at(a_.zeta[0] + here) + from * v::at(a_.now[0] + at));
    });
  }
  void remember_weighed_slope() {
    for_vectors([&](index_t at, index_t here, vector from, vector keep) {
      const vector slope = per_metre_ * (v::template first<R>(a_.now[0] + at, along_) +
                                         v::template first<R>(a_.zeta[0] + here, along_slab_));
      v::put(a_.psi[0] + here, keep * v::at(a_.psi[0] + here) + from * slope);
    });
  }
  void add_weighed() {
    for_vectors([&](index_t at, index_t here, vector, vector) {
      const vector slope = per_metre_ * v::template first<R>(a_.psi[0] + here, along_slab_);
      const vector bend = per_metre_ * per_metre_ * v::template second<R>(a_.zeta[0] + here, along_slab_);
      v::put(a_.next[0] + at, v::at(a_.next[0] + at) + v::at(a_.coefficients[0] + at) * (slope + bend));
    });
  }

  void add_tilted() {
    for_vectors([&](index_t at, index_t here, vector from, vector keep) {
      tilted_layer<v, R>(a_, at, here, here, from, keep).add();
    });
  }
  void add_edge() {
    const index_t plane = a_.psi_shape.plane(), row = a_.psi_shape.row();
    for_places([&](index_t k, index_t j, index_t i, index_t at, index_t here, vector from, vector keep) {
      tilted_layer<v, R>(a_, at, here, plane * k + row * j + i, from, keep).add_edge();
    });
  }

 private:
  /// Calls act(k, j, i, place in the fields, place in the slab, a, b).
  template <class Act>
  void for_places(Act act) const {
    for (index_t k = a_.z_begin; k < a_.z_end; ++k)
      for (index_t j = a_.y_begin; j < a_.y_end; ++j)
        for (index_t i = 0; i < a_.slab.padded_nx(); i += W) {
          const index_t at = a_.shape.plane() * k + a_.shape.row() * j + i,
                        here = a_.slab.plane() * k + a_.slab.row() * j + i;
          if (a_.d == 2) {
            act(k, j, i, at, here, v::at(a_.from + i), v::at(a_.keep + i));
          } else {
            const index_t depth = a_.d == 0 ? k : j;
            act(k, j, i, at, here, vector{} + a_.from[depth], vector{} + a_.keep[depth]);
          }
        }
  }
  template <class Act>
  void for_vectors(Act act) const {
    for_places([&](index_t, index_t, index_t, index_t at, index_t here, vector from, vector keep) {
      act(at, here, from, keep);
    });
  }

  const slab_arguments& a_;
  index_t along_, along_slab_;
  float per_metre_ = a_.per_metre[static_cast<std::size_t>(a_.d)];
  std::size_t fields_ = a_.now[1] == nullptr ? 1 : 2;
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
    case slab_pass::add_tilted:
      return slab.add_tilted();
    case slab_pass::add_edge:
      return slab.add_edge();
  }
}

}  // namespace
}  // namespace seismic
