// SPDX-License-Identifier: BSD-3-Clause
// Flows that begin with what a file says.
#pragma once

#include <solver/flow.hpp>
#include <string>

namespace turbulence {

/// Velocity, and the scalar where both have one, of the last of the snapshots at that path (app/snapshots.hpp): of any
/// format that output streams read, single or double. What is not free of divergence is dropped. Collective.
/// @throws nearfar::io_error, nearfar::usage_error  on every rank: not to be read, or of another grid
void take_from_file(flow& of, const std::string& path);

}  // namespace turbulence
