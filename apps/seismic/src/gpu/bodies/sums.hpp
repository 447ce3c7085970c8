// SPDX-License-Identifier: BSD-3-Clause
// What is done with whole fields: sums of squares, differences, parts for frames.
#pragma once

#include <gpu/bodies/thread_place.hpp>

namespace seismic::gpu {

struct squares_arguments {
  tile_shape shape;
  const float* field = nullptr;  ///< own point (0, 0, 0)
  double* sums = nullptr;        ///< of each thread: the host adds them up
};

/// Threads along x share the rows of the tile among themselves; each adds to its own sum.
SEISMIC_GPU void squares_body(const squares_arguments& a, const thread_place& t) {
  const index_t warp = 32, in_warp = t.x % warp, warps = t.along_x / warp;
  double sum = 0;
  for (index_t row = t.x / warp; row < a.shape.nz * a.shape.ny; row += warps) {
    const float* const f = a.field + row / a.shape.ny * a.shape.plane() + row % a.shape.ny * a.shape.row();
    for (index_t i = in_warp; i < a.shape.nx; i += warp) sum += static_cast<double>(f[i]) * static_cast<double>(f[i]);
  }
  a.sums[t.x] += sum;
}

struct difference_arguments {
  const float* now = nullptr;
  float* next = nullptr;
  long long count = 0;
  float norm = 1;
};

/// next = (next - now) / norm, by threads along x.
SEISMIC_GPU void difference_body(const difference_arguments& a, const thread_place& t) {
  for (index_t at = t.x; at < a.count; at += t.along_x) a.next[at] = (a.next[at] - a.now[at]) / a.norm;
}

struct frame_arguments {
  const float* field = nullptr;  ///< the part's first point
  float* to = nullptr;           ///< the part in one piece
  long long strides[3] = {};     ///< floats between neighbours of the part
  long long counts[3] = {};
};

/// A thread per point of the part: x, y and z.
SEISMIC_GPU void frame_body(const frame_arguments& a, const thread_place& t) {
  if (t.x >= a.counts[2] || t.y >= a.counts[1] || t.z >= a.counts[0]) return;
  a.to[(t.z * a.counts[1] + t.y) * a.counts[2] + t.x] =
      a.field[t.z * a.strides[0] + t.y * a.strides[1] + t.x * a.strides[2]];
}

}  // namespace seismic::gpu
