// SPDX-License-Identifier: BSD-3-Clause
// A step of the self-adjoint system, on a GPU (equations and operator: kernels/self_adjoint_loops.hpp).
//
// A block has TX by TY points of a plane, one per thread, and goes through its planes; the last 2 R + 1 planes of u,
// with R points around the block, are a ring in shared memory. Flux along d is what D_d acts on, C_de D_e u of the
// other two directions; product what S_d acts on, C_dd u / 2. For each incoming plane n = k + R:
//
//   1. all threads put u of plane n into the ring;
//   2. each takes flux and product along z of its own point of plane n, which stay in its registers for planes k - R …
//      n; those along x and y of plane k go to shared memory, also of the R points on either side of the block;
//   3. each takes their differences, and finishes its point of plane k.
//
// Barriers are after 1 and after 2. 3 reads nothing of the ring, so the next plane's 1 may follow at once.
#pragma once

#include <gpu/bodies/axis_step.hpp>
#include <gpu/bodies/phases.hpp>
#include <gpu/bodies/tile.hpp>

namespace seismic::gpu {

/// Numbers of p and of m.
struct both {
  float p, m;
};
struct flux_and_product {
  both flux, product;
};

template <int R, int TX, int TY>
struct self_adjoint_thread {
  queue<2 * R + 1> flux_p, flux_m, product_p, product_m;  ///< along z
  float incoming[2][tile<R, TX, TY>::rounds];
  both u, sum;  ///< at k; the right-hand side's terms without shared memory
};

template <int R, int TX, int TY>
class self_adjoint_step {
  using shape = tile<R, TX, TY>;
  using thread = self_adjoint_thread<R, TX, TY>;
  static constexpr int planes_in_ring = 2 * R + 1, ring = planes_in_ring * shape::points;
  static constexpr int along_x = shape::width * TY, along_y = TX * shape::height;

 public:
  static constexpr int shared_floats = 2 * ring + 4 * along_x + 4 * along_y;

  template <class Block>
  SEISMIC_GPU static void run(const step_arguments& a, Block& block) {
    const plane_range planes(a, block.here());
    if (planes.begin == planes.end) return;
    self_adjoint_step step(a, block.here(), block.shared());
    block.each([&](thread& own, int t) {
      for (int n = planes.begin - R; n < planes.begin + R; ++n) {
        step.tile_.fetch(a.now, own.incoming, t, n);
        step.put_plane(own, t, n);
      }
      step.tile_.fetch(a.now, own.incoming, t, planes.begin + R);
    });
    // Fluxes of the planes before the first incoming one: differences within planes that are all there.
    block.each([&](thread& own, int t) {
      for (int n = planes.begin - R; n < planes.begin + R; ++n) step.push_along_z(own, t, n);
      step.put_plane(own, t, planes.begin + R);
    });
    for (int k = planes.begin; k < planes.end; ++k) {
      const int n = k + R;
      block.each([&](thread& own, int t) {
        if (k + 1 < planes.end) step.tile_.fetch(a.now, own.incoming, t, n + 1);
        step.push_along_z(own, t, n);
        step.take_own(own, t, k);
        step.take_beside(t, k);
      });
      block.each([&](thread& own, int t) {
        step.finish(own, t, k);
        if (k + 1 < planes.end) step.put_plane(own, t, n + 1);
      });
    }
  }

 private:
  enum : int { z_axis, y_axis, x_axis };
  struct matter {
    float e2, g, pm, cm;
    float axis[3];  ///< over the spacings
  };

  SEISMIC_GPU self_adjoint_step(const step_arguments& a, const place& here, float* shared)
      : a_(a), tile_(a, here), ring_(shared), along_x_(shared + 2 * ring), along_y_(shared + 2 * ring + 4 * along_x) {
    SEISMIC_UNROLL
    for (int d = 0; d < 3; ++d) per_[d] = d == y_axis && a.is_flat ? 0.0f : a.per_metre[static_cast<unsigned>(d)];
  }

  /// Where plane n is in the ring.
  SEISMIC_GPU static int slot(int n) { return (n + 4 * planes_in_ring) % planes_in_ring * shape::points; }
  SEISMIC_GPU const float* u_of(int f) const { return ring_ + f * ring; }
  SEISMIC_GPU void put_plane(const thread& own, int t, int n) const {
    tile_.put(own.incoming[0], ring_ + slot(n), t), tile_.put(own.incoming[1], ring_ + ring + slot(n), t);
  }

  SEISMIC_GPU matter matter_at(long long at) const {
    const auto c = [&](unsigned n) { return a_.coefficients[n][at]; };
    return {c(1), c(2), c(3), c(4), {per_[0] * c(7), per_[1] * c(6), per_[2] * c(5)}};
  }
  SEISMIC_GPU both in_plane(int at, int stride) const {
    return {first<R>(u_of(0) + at, stride), first<R>(u_of(1) + at, stride)};
  }
  /// d/dz at a point of the tile, of plane k.
  SEISMIC_GPU both along_z(int point, int k) const {
    const auto of = [&](int f) { return first<R>([&](int n) { return u_of(f)[slot(k + n) + point]; }); };
    return {of(0), of(1)};
  }

  SEISMIC_GPU static both along_axis(const matter& m, const both& u) {
    return {m.pm * u.m - (m.e2 + m.g) * u.p, m.pm * u.p + m.g * u.m};
  }
  SEISMIC_GPU both on_diagonal(const matter& m, int d, const both& u) const {
    const float half = 0.5f * per_[d] * per_[d], half_square = 0.5f * (m.axis[d] * m.axis[d]);
    const both tilted = along_axis(m, {half_square * u.p, half_square * u.m});
    return {tilted.p + (half + half * m.e2) * u.p, tilted.m + half * m.cm * u.m};
  }
  /// Along d, from the slopes along the other two.
  SEISMIC_GPU flux_and_product terms(const matter& m, int d, const both& u, int e1, const both& along1, int e2,
                                     const both& along2) const {
    const both slope{m.axis[e1] * along1.p + m.axis[e2] * along2.p, m.axis[e1] * along1.m + m.axis[e2] * along2.m};
    return {along_axis(m, {m.axis[d] * slope.p, m.axis[d] * slope.m}), on_diagonal(m, d, u)};
  }
  SEISMIC_GPU both u_at(int at) const { return {u_of(0)[at], u_of(1)[at]}; }

  SEISMIC_GPU void push_along_z(thread& own, int t, int n) const {
    flux_and_product of{};
    if (tile_.is_own(t)) {
      const int at = slot(n) + tile_.own_point(t);
      of = terms(matter_at(tile_.place_of(t, n)), z_axis, u_at(at), y_axis, in_plane(at, shape::width), x_axis,
                 in_plane(at, 1));
    }
    own.flux_p.push(of.flux.p), own.flux_m.push(of.flux.m);
    own.product_p.push(of.product.p), own.product_m.push(of.product.m);
  }

  SEISMIC_GPU static void put_terms(const flux_and_product& of, float* to, int at, int stride) {
    to[at] = of.flux.p, to[at + stride] = of.flux.m;
    to[at + 2 * stride] = of.product.p, to[at + 3 * stride] = of.product.m;
  }

  /// The own point's terms along x and y, and what of its right-hand side needs no neighbours' terms.
  SEISMIC_GPU void take_own(thread& own, int t, int k) const {
    const int point = tile_.own_point(t), at = slot(k) + point;
    // Points that are not computed may be the neighbours of some that are.
    const bool is_there = tile_.is_there(t % TX + R, t / TX + R);
    const matter m = is_there ? matter_at(tile_.place_of(t, k)) : matter{};
    own.u = u_at(at);
    const both x = in_plane(at, 1), y = in_plane(at, shape::width), z = along_z(point, k);
    put_terms(terms(m, x_axis, own.u, z_axis, z, y_axis, y), along_x_, (t / TX) * shape::width + t % TX + R, along_x);
    put_terms(terms(m, y_axis, own.u, z_axis, z, x_axis, x), along_y_, t + R * TX, along_y);
    own.sum = second_terms(m, at, point, k);
  }

  /// C_dd S_d u / 2, all d.
  SEISMIC_GPU both second_terms(const matter& m, int at, int point, int k) const {
    const auto across_planes = [&](int f) { return second<R>([&](int n) { return u_of(f)[slot(k + n) + point]; }); };
    both sum = on_diagonal(m, z_axis, {across_planes(0), across_planes(1)});
    const auto add = [&](int d, int stride) {
      const both of = on_diagonal(m, d, {second<R>(u_of(0) + at, stride), second<R>(u_of(1) + at, stride)});
      sum.p += of.p, sum.m += of.m;
    };
    add(y_axis, shape::width), add(x_axis, 1);
    return sum;
  }

  /// Terms of the points on either side: along y, then along x.
  SEISMIC_GPU void take_beside(int t, int k) const {
    constexpr int y_points = 2 * R * TX, x_points = 2 * R * TY;
    for (int e = t; e < y_points + x_points; e += shape::threads) {
      const bool is_y = e < y_points;
      const int s = is_y ? e / TX : (e - y_points) % (2 * R);  // which row or column beside
      const int i = is_y ? R + e % TX : (s < R ? s : s + TX);
      const int j = is_y ? (s < R ? s : s + TY) : R + (e - y_points) / (2 * R);
      const int point = j * shape::width + i, at = slot(k) + point;
      const matter m = tile_.is_there(i, j) ? matter_at(tile_.place_of_tile(i, j, k)) : matter{};
      const both z = along_z(point, k);
      if (is_y)
        put_terms(terms(m, y_axis, u_at(at), z_axis, z, x_axis, in_plane(at, 1)), along_y_, j * TX + i - R, along_y);
      else
        put_terms(terms(m, x_axis, u_at(at), z_axis, z, y_axis, in_plane(at, shape::width)), along_x_,
                  (j - R) * shape::width + i, along_x);
    }
  }

  SEISMIC_GPU void finish(const thread& own, int t, int k) const {
    if (!tile_.is_own(t)) return;
    const long long at = tile_.place_of(t, k);
    const auto c = [&](unsigned n) { return load_once(a_.coefficients[n] + at); };
    both sum{own.sum.p - (c(8) * own.u.p + c(9) * own.u.m), own.sum.m - (c(9) * own.u.p + c(10) * own.u.m)};
    const float* const x = along_x_ + (t / TX) * shape::width + t % TX + R;
    const float* const y = along_y_ + t + R * TX;
    sum.p += first<R>(x, 1) + second<R>(x + 2 * along_x, 1);
    sum.m += first<R>(x + along_x, 1) + second<R>(x + 3 * along_x, 1);
    sum.p += first<R>(y, TX) + second<R>(y + 2 * along_y, TX);
    sum.m += first<R>(y + along_y, TX) + second<R>(y + 3 * along_y, TX);
    sum.p += first<R>([&](int n) { return own.flux_p.value[R + n]; }) +
             second<R>([&](int n) { return own.product_p.value[R + n]; });
    sum.m += first<R>([&](int n) { return own.flux_m.value[R + n]; }) +
             second<R>([&](int n) { return own.product_m.value[R + n]; });
    const float vp2 = c(0), keep = tile_.keep_of(a_, t, k);
    store_once(a_.next[0] + at, advanced(own.u.p, load_once(a_.next[0] + at), keep, vp2 * sum.p));
    store_once(a_.next[1] + at, advanced(own.u.m, load_once(a_.next[1] + at), keep, vp2 * sum.m));
  }

  const step_arguments& a_;
  tile_place<R, TX, TY> tile_;
  float per_[3];  ///< 1 over the spacings
  float *ring_, *along_x_, *along_y_;
};

}  // namespace seismic::gpu
