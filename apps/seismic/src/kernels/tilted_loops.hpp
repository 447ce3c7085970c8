// SPDX-License-Identifier: BSD-3-Clause
// A step of Fletcher's system with a tilted axis of symmetry a.
//
//     H1 = (a . grad)^2 with a outside of the derivatives, H2 = Laplace - H1; p_tt and q_tt as in axis_loops.hpp
//
// Mixed derivatives are first differences of first differences: 2 * 2 radius points instead of (2 radius)^2. For each
// plane:
//
//   1. gz = d/dz of the rows and of `radius` rows on either side, and d2/dz2 of the rows, from the planes above and
//      below;
//   2. for each row: gy = d/dy and d2/dy2; then xy = d/dx gy, xz = d/dx gz, yz = d/dy gz and xx, and the update.
//
// gz and gy live in scratch memory of a few rows, which the cache keeps: row j is done as soon as gz of row j + radius
// is there. Nothing is kept from plane to plane, so any planes and rows can be asked for, and the bits are the same.
// @source Fletcher, Du and Fowler 2009; the order of the work is ours
#pragma once

#include <algorithm>
#include <kernels/vectors.hpp>

namespace seismic {
namespace {

template <int W, int R>
class tilted_plane {
  using v = vectors<W>;
  using vector = typename v::vector;

 public:
  tilted_plane(const step_arguments& a, index_t k) : a_(a), k_(k), row_(a.shape.row()), plane_(a.shape.plane()) {
    const index_t rows = a.y_end - a.y_begin;
    float* free = a.scratch + tile_shape::margin;
    for (std::size_t f = 0; f < 2; ++f) {
      gz_[f] = free + R * row_, free += (rows + 2 * R) * row_;
      zz_[f] = free, free += rows * row_;
      gy_[f] = free, free += row_;
      yy_[f] = free, free += row_;
    }
  }

  void run() {
    const index_t rows = a_.y_end - a_.y_begin, beside = a_.is_flat ? 0 : R;
    for (index_t j = -beside; j < rows + beside; ++j) {
      for (std::size_t f = 0; f < 2; ++f) differ_along_z(f, j, j >= 0 && j < rows);
      if (j >= beside) finish_row(j - beside);
    }
  }

 private:
  /// Row j of those asked for, of this plane, in a field's array.
  index_t place(index_t j) const { return plane_ * k_ + row_ * (a_.y_begin + j); }

  // d/dx reaches into the margins of a row. Where the grid does not repeat they are zeros, and stay so in the scratch
  // memory.
  index_t begin() const { return a_.repeats ? -tile_shape::margin : 0; }
  index_t end() const { return a_.shape.padded_nx() + (a_.repeats ? tile_shape::margin : 0); }

  void differ_along_z(std::size_t f, index_t j, bool is_own) {
    const float* p = a_.now[f] + place(j);
    float *gz = gz_[f] + j * row_, *zz = zz_[f] + j * row_;
    if (!is_own) {
      for (index_t i = begin(), last = end(); i < last; i += W) v::put(gz + i, v::template first<R>(p + i, plane_));
      return;
    }
    for (index_t i = begin(), last = end(); i < last; i += W) {
      __builtin_prefetch(p + i + (R + 1) * plane_, 0, 2);
      const auto d = v::template first_and_second<R>(p + i, plane_);
      v::put(gz + i, d.first), v::put(zz + i, d.second);
    }
  }

  void differ_along_y(std::size_t f, index_t j) {
    const float* p = a_.now[f] + place(j);
    for (index_t i = begin(), last = end(); i < last; i += W) {
      const auto d = v::template first_and_second<R>(p + i, row_);
      v::put(gy_[f] + i, d.first), v::put(yy_[f] + i, d.second);
    }
  }

  struct derivatives {
    vector along, across;  ///< H1 and H2
  };
  /// Over the spacings: differences are on points at distance 1.
  struct axis {
    vector x, y, z;
  };

  derivatives of_field(std::size_t f, index_t at, index_t j, index_t i, const axis& a, const axis& h2) const {
    const float* gz = gz_[f] + j * row_ + i;
    const vector xx = v::template second_along_x<R>(a_.now[f] + at), zz = v::at(zz_[f] + j * row_ + i);
    const vector xz = v::template first_along_x<R>(gz);
    if (a_.is_flat) {
      const vector along = a.x * (a.x * xx + 2 * (a.z * xz)) + a.z * (a.z * zz);
      return {along, h2.x * xx + h2.z * zz - along};
    }
    const vector xy = v::template first_along_x<R>(gy_[f] + i), yy = v::at(yy_[f] + i);
    const vector yz = v::template first<R>(gz, row_);
    const vector along =
        a.x * (a.x * xx + 2 * (a.y * xy + a.z * xz)) + a.y * (a.y * yy + 2 * (a.z * yz)) + a.z * (a.z * zz);
    return {along, h2.x * xx + h2.y * yy + h2.z * zz - along};
  }

  // Rows of a plane are a stream too short for the processor to guess the next one: a fifth of the time.
  void fetch_of_next_plane(index_t at) const {
    for (std::size_t n = 0; n < 7; ++n) __builtin_prefetch(a_.coefficients[n] + at + plane_, 0, 2);
    for (std::size_t f = 0; f < 2; ++f) __builtin_prefetch(a_.next[f] + at + plane_, 1, 2);
  }

  void finish_row(index_t j) {
    if (!a_.is_flat) differ_along_y(0, j), differ_along_y(1, j);
    const index_t row = place(j);
    const float of_row = a_.damping[0][k_] + a_.damping[1][a_.y_begin + j];
    const vector one = vector{} + 1.0f;
    const auto c = a_.coefficients;
    const axis h{vector{} + a_.per_metre[2], vector{} + a_.per_metre[1], vector{} + a_.per_metre[0]};
    const axis h2{h.x * h.x, h.y * h.y, h.z * h.z};
    for (index_t i = 0; i < a_.shape.padded_nx(); i += W) {
      const index_t at = row + i;
      fetch_of_next_plane(at);
      const axis n{h.x * v::at(c[4] + at), h.y * v::at(c[5] + at), h.z * v::at(c[6] + at)};
      const derivatives p = of_field(0, at, j, i, n, h2), q = of_field(1, at, j, i, n, h2);
      const vector keep = one - (of_row + v::at(a_.damping[2] + i));
      const vector vertical = v::at(c[2] + at) * q.along, vs2 = v::at(c[3] + at);
      advance<v>(a_.next[0] + at, a_.now[0] + at, keep,
                 v::at(c[0] + at) * p.across + vertical + vs2 * (p.along - q.along));
      advance<v>(a_.next[1] + at, a_.now[1] + at, keep,
                 v::at(c[1] + at) * p.across + vertical - vs2 * (p.across - q.across));
    }
  }

  const step_arguments& a_;
  index_t k_, row_, plane_;

  std::array<float*, 2> gz_{}, zz_{}, gy_{}, yy_{};  ///< p's and q's
};

template <int W, int R>
void fletcher_tti_step(const step_arguments& a) {
  if (!a.repeats) std::fill_n(a.scratch, scratch_floats(system_kind::fletcher_tti, a.shape, a.y_end - a.y_begin), 0.0f);
  for (index_t k = a.z_begin; k < a.z_end; ++k) tilted_plane<W, R>(a, k).run();
}

}  // namespace
}  // namespace seismic
