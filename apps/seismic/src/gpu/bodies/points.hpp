// SPDX-License-Identifier: BSD-3-Clause
// Sources and receivers: the same sums, in double and in the same order, as points/points.hpp makes.
#pragma once

#include <gpu/bodies/thread_place.hpp>

namespace seismic::gpu {

inline constexpr int most_amplitudes = 256;  ///< of a launch: they travel with its argument

/// Cells that several sources may share, so that no two threads write the same one.
struct inject_arguments {
  float* fields[2] = {};
  int field_count = 1;
  int cells = 0;
  const long long* places = nullptr;  ///< of each cell, from own point (0, 0, 0)
  const int* starts = nullptr;        ///< of each cell's sources in the lists below, and the end
  const int* sources = nullptr;
  const double* weights = nullptr;
  double amplitudes[most_amplitudes] = {};
};

/// A thread per cell.
SEISMIC_GPU void inject_body(const inject_arguments& a, const thread_place& t) {
  if (t.x >= a.cells) return;
  for (int f = 0; f < a.field_count; ++f) {
    float& cell = a.fields[f][a.places[t.x]];
    for (int n = a.starts[t.x]; n < a.starts[t.x + 1]; ++n)
      cell = static_cast<float>(static_cast<double>(cell) + a.weights[n] * a.amplitudes[a.sources[n]]);
  }
}

/// A receiver: rows of weights along z, y and x.
struct receiver_cells {
  static constexpr int most = 20;
  long long place = 0;  ///< of its first cell, from own point (0, 0, 0)
  int counts[3] = {};
  double along[3][most] = {};
};

struct gather_arguments {
  tile_shape shape;
  const float* field = nullptr;
  const receiver_cells* receivers = nullptr;
  int count = 0;
  float* samples = nullptr;  ///< of each receiver
};

/// A thread per receiver.
SEISMIC_GPU void gather_body(const gather_arguments& a, const thread_place& t) {
  if (t.x >= a.count) return;
  const receiver_cells& r = a.receivers[t.x];
  double sum = 0;
  for (int k = 0; k < r.counts[0]; ++k)
    for (int j = 0; j < r.counts[1]; ++j)
      for (int i = 0; i < r.counts[2]; ++i)
        sum += r.along[0][k] * r.along[1][j] * r.along[2][i] *
               static_cast<double>(a.field[r.place + k * a.shape.plane() + j * a.shape.row() + i]);
  a.samples[t.x] = static_cast<float>(sum) + 0.0f;  // never a negative zero
}

}  // namespace seismic::gpu
