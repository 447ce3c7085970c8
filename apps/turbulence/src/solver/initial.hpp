// SPDX-License-Identifier: BSD-3-Clause
// What flows begin with.
#pragma once

#include <cstdint>
#include <solver/flow.hpp>
#include <string>

namespace turbulence {

enum class initial_kind { taylor_green, taylor_green_2d, abc, isotropic, rest, file };

struct initial_options {
  initial_kind kind = initial_kind::taylor_green;
  double energy = 0.5;     ///< isotropic: mean of u u / 2
  double peak = 4;         ///< isotropic: |k| at which E(k) ~ k^4 exp(-2 (k / peak)^2) is largest
  std::uint64_t seed = 1;  ///< isotropic
  std::string file{};      ///< snapshots, whose last one is taken
};

/// The velocity, and the scalar cos(2 pi y / Ly) where `has_layers`. Collective.
///
/// taylor_green: (sin x cos y cos z, -cos x sin y cos z, 0), the 2-D one without cos z; abc:
/// (sin z + cos y, sin x + cos z, sin y + cos x), which is its own curl. x, y and z are in units of the box' lengths.
/// isotropic: random directions and phases from the seed and the wave numbers alone, so of any number of ranks; each
/// shell has its energy exactly. file: velocity, and the scalar where it has one, at all points of the same grid.
/// @throws nearfar::io_error, nearfar::usage_error  a file that cannot be read, or is of another grid
void begin(flow& on, const initial_options& options, bool has_layers = false);

}  // namespace turbulence
