// SPDX-License-Identifier: BSD-3-Clause
// What of the settings a run does, in words: sources, receivers, files, the error to expect, and what a user may not
// have meant.
#pragma once

#include <app/ground.hpp>
#include <settings/settings.hpp>
#include <solver/shot.hpp>
#include <string>

namespace seismic {

/// Lines of the log, some of them warnings. Local.
/// @param sources  with the wavelets of the settings
std::string summary(const settings& what, const ground& on, const std::vector<driving_source>& sources, double dt_s);

}  // namespace seismic
