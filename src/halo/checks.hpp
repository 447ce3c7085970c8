// SPDX-License-Identifier: BSD-3-Clause
// What must be true of a halo plan, on each rank and between ranks.
#pragma once

#include <nearfar/halo.hpp>
#include <string>
#include <vector>

#include "layout.hpp"

namespace nearfar {

/// Throws on every rank if the parts do not fit their grids on any, or are not the same plan on all; returns a number
/// for what is the same. Collective.
std::uint64_t check_parts(const std::vector<halo_part>& parts, const halo_options& options);

/// The order of dimensions in which each part's cells are listed: falling strides where all ranks agree on that, else
/// the grid's. Throws on every rank if a part's widths reach past a neighbouring tile. Collective.
std::vector<dimension_order> check_reach(const std::vector<halo_part>& parts, const halo_options& options);

/// "halo "x", part 2"
std::string part_name(const halo_options& options, std::size_t part);

}  // namespace nearfar
