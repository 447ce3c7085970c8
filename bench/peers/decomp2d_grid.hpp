// SPDX-License-Identifier: BSD-3-Clause
// What the transpositions and the transforms by 2DECOMP&FFT have in common.
#pragma once

#include <nearfar/transpose.hpp>

extern "C" {
void bench_decomp2d_open(const int* extents, int rows, int columns);
void bench_decomp2d_close();
void bench_decomp2d_part(int whole, int* first, int* last);
}

namespace bench {

/// The library's state is global: it is there while this is.
class decomp2d_grid {
 public:
  decomp2d_grid(nearfar::index_t points, int rows, int columns) {
    const int n = static_cast<int>(points), extents[3] = {n, n, n};
    bench_decomp2d_open(extents, rows, columns);
  }
  ~decomp2d_grid() { bench_decomp2d_close(); }
  decomp2d_grid(const decomp2d_grid&) = delete;
  decomp2d_grid& operator=(const decomp2d_grid&) = delete;
};

/// This rank's part with x (1), y (2) or z (3) whole; its x, y, z are our axes 2, 1, 0.
inline nearfar::box decomp2d_part(int whole) {
  int first[3], last[3];
  bench_decomp2d_part(whole, first, last);
  nearfar::box own{3, {}, {}};
  for (std::size_t d = 0; d < 3; ++d) own.lower[d] = first[2 - d] - 1, own.upper[d] = last[2 - d];
  return own;
}

}  // namespace bench
