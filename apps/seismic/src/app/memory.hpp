// SPDX-License-Identifier: BSD-3-Clause
// Whether a shot fits into memory, before its medium is read.
#pragma once

#include <app/ground.hpp>
#include <nearfar/team.hpp>
#include <settings/settings.hpp>
#include <solver/propagator.hpp>

namespace seismic {

/// Of a propagator, and what a checkpoint is copied to. Collective. @throws nearfar::usage_error  as the propagator's
/// constructor: order, tiles
double bytes_of_rank(const nearfar::team& team, const settings& what, const grid& all, const propagator_options& how);

/// @param own_bytes  of a rank; frames are added to it
/// Collective. @throws nearfar::resource_error  on every rank if some node has less memory than its ranks will need,
/// with both numbers
void check_memory(const nearfar::team& team, const settings& what, const ground& outline, double own_bytes);

}  // namespace seismic
