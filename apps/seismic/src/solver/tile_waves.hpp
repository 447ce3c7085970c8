// SPDX-License-Identifier: BSD-3-Clause
// A rank's part of the waves, as engines step it.
#pragma once

#include <array>
#include <memory/huge_array.hpp>
#include <model/medium.hpp>
#include <nearfar/grid.hpp>
#include <nearfar/halo.hpp>
#include <solver/absorbing_layer.hpp>
#include <solver/propagator_options.hpp>
#include <vector>

namespace seismic {

/// The fields at two times, and what their steps depend on. Of an engine that has its own memory the fields here, and
/// the layers' memories, are copies: see engine::fetch() and store().
struct tile_waves {
  propagator_options options;
  grid points;
  nearfar::grid tiles;
  tile_shape shape;
  coefficients model{};
  std::array<std::array<huge_array, 2>, 2> levels{};  ///< by time, now and 1 - now, and by field
  int now = 0;
  std::array<std::vector<float>, 3> damping{};  ///< see step_arguments
  absorbing_layers layers{};

  int fields() const noexcept { return fields_of(options.system); }
  bool repeats() const noexcept { return options.sides == side_kind::periodic; }
  /// Of own point (0, 0, 0).
  float* field(int level, int number) noexcept;
  const float* field(int level, int number) const noexcept;
  /// dt^2 vp^2 at own point (0, 0, 0), with the fields' strides: what multiplies a source.
  const float* vp2() const;
  double cell_volume() const noexcept;  ///< m^3; of two dimensions m^2
  /// Of the whole tile, but for planes, rows and scratch memory.
  step_arguments arguments() const;
  /// Whether a tile beyond this side of the rank's has values for it.
  bool has_neighbour(int d, bool is_upper) const;
};

/// What fills the ghosts of the fields in this memory, for each of the two times; none where a rank is alone and the
/// grid does not repeat. Collective. @throws nearfar::usage_error  on every rank: tiles thinner than the ghosts
/// @param filled  layers of ghosts to be filled
std::vector<nearfar::halo_plan> halos_of(tile_waves& waves, const nearfar::ghosts& filled);

}  // namespace seismic
