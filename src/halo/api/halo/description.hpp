// SPDX-License-Identifier: BSD-3-Clause
// What describe() of grids and halo plans says, with marks (base/axis_names.hpp).
#pragma once

#include <nearfar/halo.hpp>
#include <string>

namespace nearfar {

std::string description_of(const grid& cells);
std::string description_of(const halo_plan& plan);

}  // namespace nearfar
