// SPDX-License-Identifier: BSD-3-Clause
// The properties that settings describe: numbers, layers, files, generated grounds.
#pragma once

#include <array>
#include <model/formulas.hpp>
#include <settings/settings.hpp>

namespace seismic {

/// On the inner grid, by property_kind, velocities in m/s, angles in radians. Local; opens files.
/// @throws nearfar::usage_error  a file of another size, an ending that there is not; nearfar::io_error  what cannot be
/// read
std::array<shared_property, 6> properties_of(const settings& what);

}  // namespace seismic
