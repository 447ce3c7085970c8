// SPDX-License-Identifier: BSD-3-Clause
// Tiles of a plane: TX by TY points of a block, one per thread, and R points around them, as they lie in shared memory.
#pragma once

#include <gpu/bodies/differences.hpp>
#include <kernels/kernels.hpp>

namespace seismic::gpu {

template <int R, int TX, int TY>
struct tile {
  static constexpr int threads = TX * TY, width = TX + 2 * R, height = TY + 2 * R, points = width * height;
  static constexpr int rounds = (points + threads - 1) / threads;  ///< of loads per thread
};

/// The planes of a block: those asked for are shared evenly.
struct plane_range {
  int begin, end;
  SEISMIC_GPU plane_range(const step_arguments& a, const place& here) {
    const long long planes = a.z_end - a.z_begin;
    begin = static_cast<int>(a.z_begin + planes * here.block_z / here.blocks_z);
    end = static_cast<int>(a.z_begin + planes * (here.block_z + 1) / here.blocks_z);
  }
};

/// A block's tile in the arrays of fields. Threads are numbered along x first; i and j count from the tile's corner.
template <int R, int TX, int TY>
class tile_place {
  using shape = tile<R, TX, TY>;

 public:
  SEISMIC_GPU tile_place(const step_arguments& a, const place& here)
      : row_(static_cast<int>(a.shape.row())),
        plane_(a.shape.plane()),
        i_(here.block_x * TX),
        j_(static_cast<int>(a.y_begin) + here.block_y * TY),
        own_i_(static_cast<int>(a.shape.padded_nx())),
        own_j_(static_cast<int>(a.y_end)),
        last_i_(static_cast<int>(a.shape.padded_nx() + tile_shape::margin)),
        last_j_(static_cast<int>(a.shape.ny) + a.shape.ghosts) {}

  /// Whether a thread's point is one to compute.
  SEISMIC_GPU bool is_own(int t) const { return i_ + t % TX < own_i_ && j_ + t / TX < own_j_; }
  SEISMIC_GPU long long place_of(int t, int k) const { return place_of_tile(t % TX + R, t / TX + R, k); }
  SEISMIC_GPU static int own_point(int t) { return (t / TX + R) * shape::width + t % TX + R; }
  /// Whether the arrays have a point of the tile.
  SEISMIC_GPU bool is_there(int i, int j) const { return i_ + i - R < last_i_ && j_ + j - R < last_j_; }
  SEISMIC_GPU long long place_of_tile(int i, int j, int k) const {
    return plane_ * k + static_cast<long long>(row_) * (j_ + j - R) + i_ + i - R;
  }
  SEISMIC_GPU float keep_of(const step_arguments& a, int t, int k) const {
    return 1.0f - (a.damping[0][k] + a.damping[1][j_ + t / TX] + a.damping[2][i_ + t % TX]);
  }

  /// A thread's share of a plane of the tile, of both fields; zeros beyond the arrays.
  template <class Fields>
  SEISMIC_GPU void fetch(const Fields& fields, float (&values)[2][shape::rounds], int t, int k) const {
    SEISMIC_UNROLL
    for (int r = 0; r < shape::rounds; ++r) {
      const int e = t + r * shape::threads, i = e % shape::width, j = e / shape::width;
      const bool reads = e < shape::points && is_there(i, j);
      const long long at = place_of_tile(i, j, k);
      values[0][r] = reads ? fields[0][at] : 0.0f, values[1][r] = reads ? fields[1][at] : 0.0f;
    }
  }
  /// Puts such a share where it belongs.
  SEISMIC_GPU static void put(const float (&values)[shape::rounds], float* to, int t) {
    SEISMIC_UNROLL
    for (int r = 0; r < shape::rounds; ++r)
      if (t + r * shape::threads < shape::points) to[t + r * shape::threads] = values[r];
  }

 private:
  int row_;
  long long plane_;
  int i_, j_;  ///< the block's first point
  int own_i_, own_j_, last_i_, last_j_;
};

}  // namespace seismic::gpu
