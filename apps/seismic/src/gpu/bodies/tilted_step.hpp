// SPDX-License-Identifier: BSD-3-Clause
// A step of Fletcher's system with a tilted axis of symmetry, on a GPU (the equations: kernels/tilted_loops.hpp).
//
// A block has TX by TY points of a plane, one per thread, and goes through its planes. Plane n = k + R comes in while
// plane k is finished:
//
//   1. all threads put u of plane n, with R points around the block, into shared memory: p, then q;
//   2. each takes d/dx, d2/dx2, d/dy and d2/dy2 of its own point from there, and puts d/dy into shared memory, also of
//      R points on either side along x;
//   3. each takes d/dx of d/dy from there. u, d/dx and d/dy of planes k - R … n are in its registers, the second
//      differences within a plane of k … n: with those along z all six of plane k are known, and it is finished.
//
// So mixed derivatives along z need no points around the block, and every value is loaded once per block. Two barriers
// a plane: after 1 and after 2; 3 and the next plane's 1 touch different memory.
#pragma once

#include <gpu/bodies/axis_step.hpp>
#include <gpu/bodies/differences.hpp>
#include <gpu/bodies/phases.hpp>
#include <gpu/bodies/tile.hpp>

namespace seismic::gpu {

template <int R>
struct tilted_field {
  queue<2 * R + 1> u, gx, gy;
  queue<R + 1> xx, yy, xy;
};

template <int R, int TX, int TY>
struct tilted_thread {
  tilted_field<R> f[2];
  float incoming[2][tile<R, TX, TY>::rounds];  ///< of the next plane
  float c[7], before[2];
};

template <int R, int TX, int TY>
class tilted_step {
  using shape = tile<R, TX, TY>;
  using thread = tilted_thread<R, TX, TY>;
  static constexpr int slopes = shape::width * TY;

 public:
  static constexpr int shared_floats = 2 * (shape::points + slopes);

  template <class Block>
  SEISMIC_GPU static void run(const step_arguments& a, Block& block) {
    const plane_range planes(a, block.here());
    const int begin = planes.begin, end = planes.end;
    if (begin == end) return;
    const tilted_step step(a, block.here(), block.shared());
    block.each([&](thread& own, int t) {
      step.tile_.fetch(a.now, own.incoming, t, begin - R);
      step.put_plane(own, t);
      step.tile_.fetch(a.now, own.incoming, t, begin - R + 1);
    });
    for (int n = begin - R; n < end + R; ++n) {
      const int k = n - R;
      block.each([&](thread& own, int t) {
        if (k >= begin) step.fetch_medium(own, t, k);
        step.differ_in_plane(own, t);
      });
      block.each([&](thread& own, int t) {
        step.differ_mixed(own, t);
        if (k >= begin) step.finish(own, t, k);
        if (n + 1 < end + R) step.put_plane(own, t);
        if (n + 2 < end + R) step.tile_.fetch(a.now, own.incoming, t, n + 2);
      });
    }
  }

 private:
  SEISMIC_GPU tilted_step(const step_arguments& a, const place& here, float* shared)
      : a_(a), tile_(a, here), planes_(shared), slopes_(shared + 2 * shape::points) {}

  SEISMIC_GPU float* tile_of(int f) const { return planes_ + f * shape::points; }
  SEISMIC_GPU float* slopes_of(int f) const { return slopes_ + f * slopes; }

  SEISMIC_GPU void put_plane(const thread& own, int t) const {
    tile_.put(own.incoming[0], tile_of(0), t), tile_.put(own.incoming[1], tile_of(1), t);
  }

  SEISMIC_GPU void fetch_medium(thread& own, int t, int k) const {
    if (!tile_.is_own(t)) return;
    const long long at = tile_.place_of(t, k);
    SEISMIC_UNROLL
    for (int n = 0; n < 7; ++n) own.c[n] = load_once(a_.coefficients[static_cast<unsigned>(n)] + at);
    own.before[0] = load_once(a_.next[0] + at), own.before[1] = load_once(a_.next[1] + at);
  }

  SEISMIC_GPU void differ_in_plane(thread& own, int t) const {
    const int at = tile_.own_point(t), slope = (t / TX) * shape::width + t % TX + R;
    SEISMIC_UNROLL
    for (int f = 0; f < 2; ++f) {
      const float* const u = tile_of(f) + at;
      own.f[f].u.push(*u);
      own.f[f].gx.push(first<R>(u, 1)), own.f[f].xx.push(second<R>(u, 1));
      const float gy = first<R>(u, shape::width);
      own.f[f].gy.push(gy), own.f[f].yy.push(second<R>(u, shape::width));
      slopes_of(f)[slope] = gy;
    }
    // On either side along x: R columns of both fields.
    constexpr int beside = 2 * R * TY;

    SEISMIC_UNROLL
    for (int e = t; e < 2 * beside; e += shape::threads) {
      const int f = e / beside, c = e % beside % (2 * R), j = e % beside / (2 * R), i = c < R ? c : c + TX;
      slopes_of(f)[j * shape::width + i] = first<R>(tile_of(f) + (j + R) * shape::width + i, shape::width);
    }
  }

  SEISMIC_GPU void differ_mixed(thread& own, int t) const {
    const int slope = (t / TX) * shape::width + t % TX + R;
    SEISMIC_UNROLL
    for (int f = 0; f < 2; ++f) own.f[f].xy.push(first<R>(slopes_of(f) + slope, 1));
  }

  struct derivatives {
    float along, across;  ///< H1 and H2
  };
  struct axis {
    float x, y, z;
  };
  SEISMIC_GPU static derivatives of_field(const tilted_field<R>& f, const axis& a, const axis_weights& per) {
    const float xx = f.xx.value[0], yy = f.yy.value[0], xy = f.xy.value[0];
    const float zz = second<R>([&](int n) { return f.u.value[R + n]; });
    const float xz = first<R>([&](int n) { return f.gx.value[R + n]; });
    const float yz = first<R>([&](int n) { return f.gy.value[R + n]; });
    const float along =
        a.x * (a.x * xx + 2 * (a.y * xy + a.z * xz)) + a.y * (a.y * yy + 2 * (a.z * yz)) + a.z * (a.z * zz);
    return {along, per.x * xx + per.y * yy + per.z * zz - along};
  }

  SEISMIC_GPU void finish(thread& own, int t, int k) const {
    if (!tile_.is_own(t)) return;
    const float* const c = own.c;
    // Over the spacings: differences are on points at distance 1.
    const axis n{a_.per_metre[2] * c[4], a_.is_flat ? 0.0f : a_.per_metre[1] * c[5], a_.per_metre[0] * c[6]};
    const axis_weights per(a_);
    const derivatives p = of_field(own.f[0], n, per), q = of_field(own.f[1], n, per);
    const float keep = tile_.keep_of(a_, t, k);
    const float vertical = c[2] * q.along, vs2 = c[3];
    const long long at = tile_.place_of(t, k);
    store_once(a_.next[0] + at, advanced(own.f[0].u.value[R], own.before[0], keep,
                                         c[0] * p.across + vertical + vs2 * (p.along - q.along)));
    store_once(a_.next[1] + at, advanced(own.f[1].u.value[R], own.before[1], keep,
                                         c[1] * p.across + vertical - vs2 * (p.across - q.across)));
  }

  const step_arguments& a_;
  tile_place<R, TX, TY> tile_;
  float *planes_, *slopes_;  ///< of p, then of q
};

}  // namespace seismic::gpu
