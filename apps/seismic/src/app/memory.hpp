// SPDX-License-Identifier: BSD-3-Clause
// Whether a shot fits into memory, before its medium is read.
#pragma once

#include <app/ground.hpp>
#include <nearfar/team.hpp>
#include <settings/settings.hpp>

namespace seismic {

/// @param own_bytes  of a rank: fields, coefficients. Frames and checkpoints are added to it
/// Collective. @throws nearfar::resource_error  on every rank if some node has less memory than its ranks will need,
/// with both numbers
void check_memory(const nearfar::team& team, const settings& what, const ground& outline, double own_bytes);

}  // namespace seismic
