// SPDX-License-Identifier: BSD-3-Clause
// How a rank's part of a field lies in memory.
#pragma once

#include <kernels/weights.hpp>
#include <nearfar/box.hpp>

namespace seismic {

using nearfar::index_t;

/// Rows along x are never cut between ranks. Each begins on a cache line with `margin` ghost points before it and at
/// least as many behind it, so that kernels take whole vectors: what lies between nx and padded_nx() is computed with
/// coefficients of zero, and counts for nothing.
///
///     row = margin + padded_nx + margin floats;  plane = (ny + 2 ghosts) rows;  volume = (nz + 2 ghosts) planes
struct tile_shape {
  static constexpr index_t margin = 16;  ///< floats of a cache line; more than any stencil's radius
  static_assert(margin >= largest_radius);

  index_t nz = 0, ny = 0, nx = 0;
  int radius = 4;  ///< of the stencil
  int ghosts = 4;  ///< planes above and below, and rows before and behind; not less than the radius

  constexpr index_t padded_nx() const noexcept { return (nx + margin - 1) / margin * margin; }
  constexpr index_t row() const noexcept { return padded_nx() + 2 * margin; }
  constexpr index_t plane() const noexcept { return row() * (ny + 2 * ghosts); }
  constexpr index_t volume() const noexcept { return plane() * (nz + 2 * ghosts); }
  constexpr index_t points() const noexcept { return nz * ny * nx; }
  /// Of own point (0, 0, 0); `at(-ghosts, -ghosts, -margin)` is 0.
  constexpr index_t at(index_t k, index_t j, index_t i) const noexcept {
    return (k + ghosts) * plane() + (j + ghosts) * row() + i + margin;
  }
};

}  // namespace seismic
