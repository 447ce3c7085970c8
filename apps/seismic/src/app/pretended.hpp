// SPDX-License-Identifier: BSD-3-Clause
// A run whose computing is pretended, for experiments with output.
#pragma once

#include <app/options.hpp>
#include <app/snapshots.hpp>
#include <settings/settings.hpp>

namespace seismic {

/// As run_shot(), but each step sleeps for run.pretended-step, as a processor does whose GPU computes: no medium is
/// read, and all snapshots are of the same made-up field. Collective. @returns the exit status
/// @throws nearfar::usage_error  --restart and --write-model
int run_pretended(const nearfar::team& team, const settings& what, const app_options& options,
                  const sink_maker& make_sink);

}  // namespace seismic
