// SPDX-License-Identifier: BSD-3-Clause
// Steps of systems whose derivatives lie along the axes of the grid, on a GPU: isotropic, and Fletcher's with a
// vertical axis of symmetry.
//
// A thread has `pack` points beside each other along x and goes through the planes of its block. What it needs along z
// stays in registers, a queue of 2 R + 1 packs; neighbours along x and y come from the cache. No thread waits for
// another one.
//
//     block: threads_x packs by threads_y rows; planes of the range are shared evenly among blocks_z blocks
#pragma once

#include <gpu/bodies/tile.hpp>

namespace seismic::gpu {

/// Neighbours along x, which are loaded and stored at once.
template <int V>
struct alignas(4 * V) pack {
  float v[V];
};

template <int V>
SEISMIC_GPU pack<V> load_pack(const float* p) {
  return *reinterpret_cast<const pack<V>*>(p);
}
template <int V>
SEISMIC_GPU void store_pack(float* p, const pack<V>& value) {
  *reinterpret_cast<pack<V>*>(p) = value;
}

/// One field at a thread's points: the packs of planes k - R … k + R.
template <int R, int V>
class axis_queue {
 public:
  /// From the planes below k + R.
  SEISMIC_GPU void begin(const float* at_k, long long plane) {
    SEISMIC_UNROLL
    for (int n = 0; n < 2 * R; ++n) packs_[n + 1] = load_pack<V>(at_k + (n - R) * plane);
  }
  SEISMIC_GPU void push(const pack<V>& newest) {
    SEISMIC_UNROLL
    for (int n = 0; n < 2 * R; ++n) packs_[n] = packs_[n + 1];
    packs_[2 * R] = newest;
  }
  SEISMIC_GPU const pack<V>& now() const { return packs_[R]; }
  SEISMIC_GPU float along_z(int v) const {
    return second<R>([&](int k) { return packs_[R + k].v[v]; });
  }

 private:
  pack<V> packs_[2 * R + 1];
};

/// Second differences in a plane, times the weights of their directions.
template <int R, int V>
SEISMIC_GPU pack<V> across(const float* at, const pack<V>& own, int row, float per_x2, float per_y2) {
  constexpr int beside = (R + V - 1) / V;  // packs on either side
  float line[(2 * beside + 1) * V];
  SEISMIC_UNROLL
  for (int n = -beside; n <= beside; ++n) {
    const pack<V> p = n == 0 ? own : load_pack<V>(at + n * V);
    SEISMIC_UNROLL
    for (int v = 0; v < V; ++v) line[(n + beside) * V + v] = p.v[v];
  }
  pack<V> rows[2 * R + 1];
  SEISMIC_UNROLL
  for (int n = -R; n <= R; ++n) rows[n + R] = n == 0 ? own : load_pack<V>(at + n * row);
  pack<V> sum;
  SEISMIC_UNROLL
  for (int v = 0; v < V; ++v) {
    const float xx = second<R>([&](int k) { return line[beside * V + v + k]; });
    const float yy = second<R>([&](int k) { return rows[R + k].v[v]; });
    sum.v[v] = per_x2 * xx + per_y2 * yy;
  }
  return sum;
}

/// The points of a thread.
struct axis_column {
  int row;
  long long plane, at;  ///< of the first plane
  int begin, end;       ///< planes
  int j, i;
  bool is_own;

  template <int V>
  SEISMIC_GPU static axis_column of(const step_arguments& a, const place& here) {
    axis_column c;
    c.row = static_cast<int>(a.shape.row()), c.plane = a.shape.plane();
    c.i = (here.block_x * here.threads_x + here.thread_x) * V;
    c.j = static_cast<int>(a.y_begin) + here.block_y * here.threads_y + here.thread_y;
    const plane_range planes(a, here);
    c.begin = planes.begin, c.end = planes.end;
    c.at = c.plane * c.begin + static_cast<long long>(c.row) * c.j + c.i;
    c.is_own = c.i < a.shape.padded_nx() && c.j < a.y_end;
    return c;
  }
};

/// 1 over the spacing's square along z, y, x; 0 along y where there is no derivative.
struct axis_weights {
  float z, y, x;
  SEISMIC_GPU explicit axis_weights(const step_arguments& a)
      : z(a.per_metre[0] * a.per_metre[0]),
        y(a.is_flat ? 0.0f : a.per_metre[1] * a.per_metre[1]),
        x(a.per_metre[2] * a.per_metre[2]) {}
};

/// next = now + keep (now - before) + change.
SEISMIC_GPU float advanced(float now, float before, float keep, float change) {
  return now + keep * (now - before) + change;
}

template <int R, int V>
SEISMIC_GPU void isotropic_step(const step_arguments& a, const place& here) {
  axis_column c = axis_column::of<V>(a, here);
  if (!c.is_own || c.begin == c.end) return;
  const axis_weights per(a);
  const pack<V> damping_x = load_pack<V>(a.damping[2] + c.i);
  const float damping_y = a.damping[1][c.j];
  axis_queue<R, V> p;
  p.begin(a.now[0] + c.at, c.plane);
  pack<V> newest = load_pack<V>(a.now[0] + c.at + R * c.plane);
  for (int k = c.begin; k < c.end; ++k, c.at += c.plane) {
    p.push(newest);
    const pack<V> vp2 = load_pack<V>(a.coefficients[0] + c.at), before = load_pack<V>(a.next[0] + c.at);
    if (k + 1 < c.end) newest = load_pack<V>(a.now[0] + c.at + (R + 1) * c.plane);
    const pack<V> h2 = across<R, V>(a.now[0] + c.at, p.now(), c.row, per.x, per.y);
    const float of_row = a.damping[0][k] + damping_y;
    pack<V> next;
    SEISMIC_UNROLL
    for (int v = 0; v < V; ++v)
      next.v[v] = advanced(p.now().v[v], before.v[v], 1.0f - (of_row + damping_x.v[v]),
                           vp2.v[v] * (h2.v[v] + per.z * p.along_z(v)));
    store_pack<V>(a.next[0] + c.at, next);
  }
}

template <int R, int V>
SEISMIC_GPU void fletcher_vti_step(const step_arguments& a, const place& here) {
  axis_column c = axis_column::of<V>(a, here);
  if (!c.is_own || c.begin == c.end) return;
  const axis_weights per(a);
  const pack<V> damping_x = load_pack<V>(a.damping[2] + c.i);
  const float damping_y = a.damping[1][c.j];
  axis_queue<R, V> p, q;
  p.begin(a.now[0] + c.at, c.plane), q.begin(a.now[1] + c.at, c.plane);
  pack<V> newest_p = load_pack<V>(a.now[0] + c.at + R * c.plane),
          newest_q = load_pack<V>(a.now[1] + c.at + R * c.plane);
  for (int k = c.begin; k < c.end; ++k, c.at += c.plane) {
    p.push(newest_p), q.push(newest_q);
    pack<V> m[4];
    SEISMIC_UNROLL
    for (int n = 0; n < 4; ++n) m[n] = load_pack<V>(a.coefficients[static_cast<unsigned>(n)] + c.at);
    const pack<V> before_p = load_pack<V>(a.next[0] + c.at), before_q = load_pack<V>(a.next[1] + c.at);
    if (k + 1 < c.end) {
      newest_p = load_pack<V>(a.now[0] + c.at + (R + 1) * c.plane);
      newest_q = load_pack<V>(a.now[1] + c.at + (R + 1) * c.plane);
    }
    const pack<V> h2p = across<R, V>(a.now[0] + c.at, p.now(), c.row, per.x, per.y);
    const pack<V> h2q = across<R, V>(a.now[1] + c.at, q.now(), c.row, per.x, per.y);
    const float of_row = a.damping[0][k] + damping_y;
    pack<V> next_p, next_q;
    SEISMIC_UNROLL
    for (int v = 0; v < V; ++v) {
      const float h1p = per.z * p.along_z(v), h1q = per.z * q.along_z(v), keep = 1.0f - (of_row + damping_x.v[v]);
      const float vertical = m[2].v[v] * h1q, vs2 = m[3].v[v];
      next_p.v[v] = advanced(p.now().v[v], before_p.v[v], keep, m[0].v[v] * h2p.v[v] + vertical + vs2 * (h1p - h1q));
      next_q.v[v] =
          advanced(q.now().v[v], before_q.v[v], keep, m[1].v[v] * h2p.v[v] + vertical - vs2 * (h2p.v[v] - h2q.v[v]));
    }
    store_pack<V>(a.next[0] + c.at, next_p), store_pack<V>(a.next[1] + c.at, next_q);
  }
}

}  // namespace seismic::gpu
