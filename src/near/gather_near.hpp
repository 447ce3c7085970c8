// SPDX-License-Identifier: BSD-3-Clause
// An allgather among near ranks, whether their team has a communicator of them or not.
#pragma once

#include <base/numbers.hpp>
#include <nearfar/team.hpp>

namespace nearfar::near {

/// Every near rank gets the `bytes` of all, in the order of near ranks. Collective over the node. @throws
/// transport_error
void gather_near(const team& members, const void* mine, int bytes, void* all);

}  // namespace nearfar::near
