// SPDX-License-Identifier: BSD-3-Clause
// Whether a shot fits into memory, before its medium is read.
#pragma once

#include <app/ground.hpp>
#include <nearfar/team.hpp>
#include <settings/settings.hpp>
#include <solver/propagator.hpp>

namespace seismic {

/// Collective. @throws nearfar::resource_error  on every rank if some node has less memory than its ranks will need,
/// with both numbers
void check_memory(const nearfar::team& team, const settings& what, const ground& outline,
                  const propagator_options& options);

}  // namespace seismic
