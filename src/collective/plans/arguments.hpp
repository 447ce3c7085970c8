// SPDX-License-Identifier: BSD-3-Clause
// From the public call to the engine's: sizes that follow from arrays, and checks that need no other rank.
#pragma once

#include <collective/call.hpp>
#include <nearfar/collective_call.hpp>
#include <nearfar/team.hpp>

namespace nearfar::collective {

/// The call with all counts filled in. Local. @throws usage_error on this rank
call to_internal(const collective_call& c, const team& members);

/// True where NEARFAR_CHECK is collective or paranoid. @throws usage_error for a value that is none of the four
bool are_ranks_compared();

/// Compares what ranks send with what others expect, and what all must agree on. Collective over the team.
/// @throws usage_error on every rank, naming ranks and sizes
void compare_ranks(const call& c, const team& members);

}  // namespace nearfar::collective
