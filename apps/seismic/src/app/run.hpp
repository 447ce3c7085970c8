// SPDX-License-Identifier: BSD-3-Clause
// One shot from settings to files.
#pragma once

#include <app/options.hpp>
#include <app/snapshots.hpp>
#include <common/time_limit.hpp>
#include <nearfar/team.hpp>
#include <settings/settings.hpp>

namespace seismic {

/// Collective over the ranks that compute. @returns the exit status
/// @param make_sink  for snapshots
/// @param clock  for time.limit: seconds since the run began; absent: since this call
int run_shot(const nearfar::team& team, const settings& what, const app_options& options, const sink_maker& make_sink,
             apps::seconds_clock clock = {});

}  // namespace seismic
