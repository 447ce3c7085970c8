// SPDX-License-Identifier: BSD-3-Clause
// One run from settings to files.
#pragma once

#include <app/checkpoint.hpp>
#include <app/options.hpp>
#include <common/time_limit.hpp>
#include <limits>
#include <nearfar/team.hpp>
#include <settings/settings.hpp>

namespace turbulence {

/// How long the next step is. @param fastest  the largest |u|/dx + |v|/dy + |w|/dz
/// @param next  a time that a step is to end at, if it comes before the end
/// @throws nearfar::usage_error  it is not finite
double step_length(const time_settings& of, const run_place& at, double fastest,
                   double next = std::numeric_limits<double>::infinity());
/// When the next spectra or snapshots are to be written; infinite if none are.
double next_output(const settings& of, double time);
bool is_at_end(const time_settings& of, double time);

/// Collective. @param clock  for time.limit: seconds since the run began; absent: since this call
/// @returns  where the run has ended
run_place run_flow(const nearfar::team& team, const settings& what, const app_options& options,
                   apps::seconds_clock clock = {});

}  // namespace turbulence
