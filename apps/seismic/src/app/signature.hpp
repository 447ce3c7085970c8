// SPDX-License-Identifier: BSD-3-Clause
// What must be the same for a run to go on from a checkpoint, in words.
#pragma once

#include <app/ground.hpp>
#include <common/checkpoint_text.hpp>
#include <nearfar/team.hpp>
#include <settings/settings.hpp>
#include <solver/shot.hpp>
#include <string>

namespace seismic {

/// Keys of the settings, or names of what comes from them, with their values.
using apps::key_values;

/// All that fields and traces depend on: grid, medium, sides, time step, sources, receivers. Not the end of the run,
/// files, ranks, threads and kernels. The medium and what files say are in it as sums of their values. Collective; the
/// same on all ranks.
key_values signature_of(const nearfar::team& team, const settings& what, const ground& on, const propagator& waves,
                        const shot& points);

/// "the checkpoint has medium.order = 8, the settings medium.order = 4", of the first key that differs; "": they are
/// the same.
std::string difference_of(const key_values& checkpoint, const key_values& present);

}  // namespace seismic
