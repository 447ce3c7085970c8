// SPDX-License-Identifier: BSD-3-Clause
// Whether a run fits into memory, before its fields are made.
#pragma once

#include <settings/settings.hpp>

namespace turbulence {

/// What each rank takes for fields, the transforms' buffers, snapshots and checkpoints. Local.
double expected_bytes(const space& on, const settings& what);

/// Collective. @throws nearfar::resource_error  on every rank if some node has less memory than its ranks will need,
/// with both numbers
void check_memory(const space& on, const settings& what);

}  // namespace turbulence
