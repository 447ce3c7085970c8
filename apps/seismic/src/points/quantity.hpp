// SPDX-License-Identifier: BSD-3-Clause
// What receivers record.
#pragma once

#include <array>
#include <cstdint>
#include <grid/grid.hpp>
#include <string_view>

namespace seismic {

/// Of the field p: itself, its derivatives, and velocities v, rho dv/dt = -grad p, which are those of particles where
/// the ground is isotropic. Components along z are positive downwards.
enum class quantity : std::int32_t { pressure, dp_dx, dp_dy, dp_dz, vx, vy, vz };

struct quantity_facts {
  std::string_view name;    ///< in settings
  std::string_view ending;  ///< of its file's name, before the extension: "", "_dpdx"
  std::string_view words;   ///< for people
  std::string_view unit;
  int along = -1;  ///< the dimension of the derivative; -1: none
  bool is_velocity = false;
};

inline constexpr std::array<quantity_facts, 7> quantities{{
    {"pressure", "", "pressure", "Pa"},
    {"dp/dx", "_dpdx", "pressure gradient along x", "Pa/m", x},
    {"dp/dy", "_dpdy", "pressure gradient along y", "Pa/m", y},
    {"dp/dz", "_dpdz", "pressure gradient along z, down", "Pa/m", z},
    {"vx", "_vx", "particle velocity along x", "m/s", x, true},
    {"vy", "_vy", "particle velocity along y", "m/s", y, true},
    {"vz", "_vz", "particle velocity along z, down", "m/s", z, true},
}};

constexpr const quantity_facts& facts_of(quantity q) { return quantities[static_cast<std::size_t>(q)]; }

}  // namespace seismic
