// SPDX-License-Identifier: BSD-3-Clause
// A step of the self-adjoint system: a pair of fields p, m with p_tt = vp^2 (K p-row), m_tt = vp^2 (K m-row) and K
// symmetric.
//
//     K = grad . C grad,  C (a 3 x 3 matrix per pair of fields) = c I + alpha a a^T, a the axis of symmetry;  with f =
//     1 - vs^2 / vp^2,
//     g = f eta^2 = 2 f (epsilon - delta) / (f + 2 epsilon):
//
//                 p, p                   p, m                  m, m
//     c           1 + 2 epsilon          0                     1 - f
//     alpha       -(2 epsilon + g)       sqrt(g (f - g))       g
//
// @source Bube, Washbourne, Ergas and Nemeth 2016
//
// The discrete K is symmetric too, whatever the medium, and reaches `radius` points along each axis:
//
// - mixed terms: D_d (C_de D_e u) for d != e, with centred first differences D, which are their own negative transpose;
// - terms along an axis: (C_dd S_d u + S_d (C_dd u) - u S_d C_dd) / 2 with the second difference S, which is its own
//   transpose. That is D_d (C_dd D_d u) to the order of S, without the points that D applied twice leaves out.
//
// Terms with S (C u) and D (C D u) need products of the points around: per plane in memory of a few rows (along y), one
// row (along x), and a ring of 2 radius + 1 planes (along z) that goes along with the planes: what is needed of plane k
// + radius is added when plane k is done. The discretisation and the order of the work are ours.
#pragma once

#include <algorithm>
#include <grid/grid.hpp>
#include <kernels/vectors.hpp>

namespace seismic {
namespace {

template <int W, int R>
class self_adjoint_block {
  using v = vectors<W>;
  using vector = typename v::vector;
  static constexpr index_t planes_in_ring = 2 * R + 1;

 public:
  explicit self_adjoint_block(const step_arguments& a)
      : a_(a), row_(a.shape.row()), plane_(a.shape.plane()), rows_(a.y_end - a.y_begin) {
    float* free = a.scratch + tile_shape::margin;
    for (std::size_t f = 0; f < 2; ++f)
      for (std::size_t what = 0; what < 2; ++what) along_x_[what][f] = free, free += row_;
    for (std::size_t f = 0; f < 2; ++f)
      for (std::size_t what = 0; what < 2; ++what) {
        along_y_[what][f] = free + R * row_, free += (rows_ + 2 * R) * row_;
        along_z_[what][f] = free, free += planes_in_ring * rows_ * row_;
      }
    // Margins that d/dx reaches into: zeros where the grid does not repeat.
    if (!a.repeats) std::fill_n(a.scratch, 4 * row_, 0.0f);
  }

  void run() {
    for (index_t k = a_.z_begin - R; k < a_.z_begin + R; ++k) prepare_plane(k);
    for (index_t k = a_.z_begin; k < a_.z_end; ++k) prepare_plane(k + R), finish_plane(k);
  }

 private:
  enum : std::size_t { flux, product };  ///< D_d of the one and S_d of the other are part of K

  /// The medium at some points.
  struct matter {
    vector e2, g, pm, cm;        // 2 epsilon, and as above
    std::array<vector, 3> axis;  // over the spacings: differences are on points at distance 1
  };
  /// Numbers of p and of m.
  struct pair {
    vector p, m;
  };

  matter matter_at(index_t at) const {
    const auto c = [&](std::size_t n) { return v::at(a_.coefficients[n] + at); };
    const auto& h = a_.per_metre;
    return {c(1), c(2), c(3), c(4), {h[0] * c(7), h[1] * c(6), h[2] * c(5)}};
  }
  pair fields_at(index_t at) const { return {v::at(a_.now[0] + at), v::at(a_.now[1] + at)}; }
  pair first_at(index_t at, std::size_t d) const {
    return {v::template first<R>(a_.now[0] + at, stride(d)), v::template first<R>(a_.now[1] + at, stride(d))};
  }
  pair second_at(index_t at, std::size_t d) const {
    return {v::template second<R>(a_.now[0] + at, stride(d)), v::template second<R>(a_.now[1] + at, stride(d))};
  }
  index_t stride(std::size_t d) const { return d == 0 ? plane_ : d == 1 ? row_ : 1; }
  /// Row j of those asked for, of plane k, in a field's array.
  index_t place(index_t k, index_t j) const { return plane_ * k + row_ * (a_.y_begin + j); }

  /// alpha u.
  static pair along_axis(const matter& m, const pair& u) {
    return {m.pm * u.m - (m.e2 + m.g) * u.p, m.pm * u.p + m.g * u.m};
  }
  /// C_dd u / 2, over the square of the spacing.
  pair on_diagonal(const matter& m, std::size_t d, const pair& u) const {
    const float half = 0.5f * a_.per_metre[d] * a_.per_metre[d];
    const vector half_square = 0.5f * (m.axis[d] * m.axis[d]);
    const pair tilted = along_axis(m, {half_square * u.p, half_square * u.m});
    return {tilted.p + (half + half * m.e2) * u.p, tilted.m + half * m.cm * u.m};
  }

  /// What along dimension d is differenced once more, from the derivatives along the other two, of which one may be
  /// none.
  void put_terms(std::size_t d, std::size_t e1, std::size_t e2, index_t at,
                 const std::array<std::array<float*, 2>, 2>& to) const {
    const matter m = matter_at(at);
    const pair u = fields_at(at);
    pair slope{};
    for (const std::size_t e : {e1, e2}) {
      if (e == y && a_.is_flat) continue;
      const pair along = first_at(at, e);
      slope.p += m.axis[e] * along.p, slope.m += m.axis[e] * along.m;
    }
    const pair tilted = along_axis(m, {m.axis[d] * slope.p, m.axis[d] * slope.m}), own = on_diagonal(m, d, u);
    v::put(to[flux][0], tilted.p), v::put(to[flux][1], tilted.m);
    v::put(to[product][0], own.p), v::put(to[product][1], own.m);
  }
  static std::array<std::array<float*, 2>, 2> behind(const std::array<std::array<float*, 2>, 2>& begin, index_t by) {
    return {{{begin[0][0] + by, begin[0][1] + by}, {begin[1][0] + by, begin[1][1] + by}}};
  }

  index_t in_ring(index_t k, index_t j) const {
    const index_t slot = (k % planes_in_ring + planes_in_ring) % planes_in_ring;
    return (slot * rows_ + j) * row_;
  }
  void prepare_plane(index_t k) {
    for (index_t j = 0; j < rows_; ++j)
      for (index_t i = 0; i < a_.shape.padded_nx(); i += W)
        put_terms(z, y, x, place(k, j) + i, behind(along_z_, in_ring(k, j) + i));
  }

  void finish_plane(index_t k) {
    const index_t beside = a_.is_flat ? 0 : R;
    for (index_t j = -beside; j < rows_ + beside; ++j) {
      if (!a_.is_flat)
        for (index_t i = 0; i < a_.shape.padded_nx(); i += W)
          put_terms(y, z, x, place(k, j) + i, behind(along_y_, j * row_ + i));
      if (j >= beside) finish_row(k, j - beside);
    }
  }

  void finish_row(index_t k, index_t j) {
    const index_t row = place(k, j);
    const index_t margin = a_.repeats ? tile_shape::margin : 0;
    for (index_t i = -margin; i < a_.shape.padded_nx() + margin; i += W)
      put_terms(x, z, y, row + i, behind(along_x_, i));
    std::array<index_t, planes_in_ring> ring{};
    for (index_t n = -R; n <= R; ++n) ring[static_cast<std::size_t>(n + R)] = in_ring(k + n, j);
    const float of_row = a_.damping[0][k] + a_.damping[1][a_.y_begin + j];
    const vector one = vector{} + 1.0f;
    for (index_t i = 0; i < a_.shape.padded_nx(); i += W) {
      const index_t at = row + i;
      const pair sum = right_side(at, j, i, ring);
      const vector vp2 = v::at(a_.coefficients[0] + at), keep = one - (of_row + v::at(a_.damping[2] + i));
      advance<v>(a_.next[0] + at, a_.now[0] + at, keep, vp2 * sum.p);
      advance<v>(a_.next[1] + at, a_.now[1] + at, keep, vp2 * sum.m);
    }
  }

  pair right_side(index_t at, index_t j, index_t i, const std::array<index_t, planes_in_ring>& ring) const {
    const matter m = matter_at(at);
    const pair u = fields_at(at);
    const auto c = [&](std::size_t n) { return v::at(a_.coefficients[n] + at); };
    pair sum{-(c(8) * u.p + c(9) * u.m), -(c(9) * u.p + c(10) * u.m)};
    for (const std::size_t d : {z, y, x}) {
      if (d == y && a_.is_flat) continue;
      const pair on = on_diagonal(m, d, second_at(at, d));
      sum.p += on.p, sum.m += on.m;
    }
    for (std::size_t f = 0; f < 2; ++f) {
      vector& to = f == 0 ? sum.p : sum.m;
      to +=
          v::template first_along_x<R>(along_x_[flux][f] + i) + v::template second_along_x<R>(along_x_[product][f] + i);
      if (!a_.is_flat)
        to += v::template first<R>(along_y_[flux][f] + j * row_ + i, row_) +
              v::template second<R>(along_y_[product][f] + j * row_ + i, row_);
      to += first_in_ring(along_z_[flux][f] + i, ring) + second_in_ring(along_z_[product][f] + i, ring);
    }
    return sum;
  }
  vector first_in_ring(const float* f, const std::array<index_t, planes_in_ring>& ring) const {
    using w = weights<R>;
    vector sum{};
    for (std::size_t n = R; n >= 1; --n)
      sum += w::first(static_cast<int>(n)) * (v::at(f + ring[R + n]) - v::at(f + ring[R - n]));
    return sum;
  }
  vector second_in_ring(const float* f, const std::array<index_t, planes_in_ring>& ring) const {
    using w = weights<R>;
    vector sum = w::second(0) * v::at(f + ring[R]);
    for (std::size_t n = R; n >= 1; --n)
      sum += w::second(static_cast<int>(n)) * (v::at(f + ring[R + n]) + v::at(f + ring[R - n]));
    return sum;
  }

  const step_arguments& a_;
  index_t row_, plane_, rows_;
  std::array<std::array<float*, 2>, 2> along_x_{}, along_y_{}, along_z_{};  ///< [flux, product][p, m]
};

template <int W, int R>
void self_adjoint_step(const step_arguments& a) {
  self_adjoint_block<W, R>(a).run();
}

}  // namespace
}  // namespace seismic
