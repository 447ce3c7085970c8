// SPDX-License-Identifier: BSD-3-Clause
// Ghosts that a tile fills from its own points: those of a free surface, and those of a grid that repeats.
#pragma once

#include <gpu/bodies/thread_place.hpp>

namespace seismic::gpu {

struct ghost_arguments {
  tile_shape shape;
  float* field = nullptr;  ///< own point (0, 0, 0)
  int d = 0;               ///< repeat: along which dimension
};

/// The field is odd about the plane z = 0: zero there. A thread per element of a plane (x) and ghost plane (y).
SEISMIC_GPU void mirror_body(const ghost_arguments& a, const thread_place& t) {
  const index_t plane = a.shape.plane();
  if (t.x >= plane || t.y > a.shape.ghosts) return;
  float* const surface = a.field + a.shape.at(0, -a.shape.ghosts, -tile_shape::margin) - a.shape.at(0, 0, 0) + t.x;
  if (t.y == 0)
    *surface = 0;
  else
    surface[-t.y * plane] = -surface[t.y * plane];
}

/// Ghosts along d, below and above, from the other side, for all points of the other dimensions, ghosts included.
/// Threads: x along the row (d = x: below and above), y rows, z planes; d's own dimension counts 2 ghosts.
SEISMIC_GPU void repeat_body(const ghost_arguments& a, const thread_place& t) {
  const index_t g = a.shape.ghosts, n = a.d == 0 ? a.shape.nz : a.d == 1 ? a.shape.ny : a.shape.nx;
  const index_t stride = a.d == 0 ? a.shape.plane() : a.d == 1 ? a.shape.row() : 1;
  const index_t number = a.d == 0 ? t.z : a.d == 1 ? t.y : t.x;
  const index_t ends[3] = {a.d == 0 ? 2 * g : a.shape.nz + 2 * g, a.d == 1 ? 2 * g : a.shape.ny + 2 * g,
                           a.d == 2 ? 2 * g : a.shape.row()};
  if (t.z >= ends[0] || t.y >= ends[1] || t.x >= ends[2]) return;
  const index_t ghost = number < g ? number - g : n + number - g, from = number < g ? ghost + n : ghost - n;
  const index_t other = (a.d == 0 ? 0 : (t.z - g) * a.shape.plane()) + (a.d == 1 ? 0 : (t.y - g) * a.shape.row()) +
                        (a.d == 2 ? 0 : t.x - tile_shape::margin);
  a.field[other + ghost * stride] = a.field[other + from * stride];
}

}  // namespace seismic::gpu
