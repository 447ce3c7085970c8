// SPDX-License-Identifier: BSD-3-Clause
// The medium that settings mean.
#pragma once

#include <array>
#include <model/formulas.hpp>
#include <settings/settings.hpp>
#include <string>

namespace seismic {

/// Six properties over the grid of the settings, angles in radians; what the medium has not is 0. Local: opens files.
/// @throws nearfar::io_error, nearfar::usage_error  of the files
std::array<shared_property, 6> medium_of(const settings& what);

/// Names of the properties, for fault_text().
std::array<std::string, 6> names_of(const std::array<shared_property, 6>& medium);

}  // namespace seismic
