// SPDX-License-Identifier: BSD-3-Clause
// Turns a pattern into flows, and checks that both ends of each agree.
#pragma once

#include "transport.hpp"

namespace nearfar::exchange {

/// Fills sends, receives, has_near and has_far of the context from its pattern. Collective over the team.
/// @throws usage_error on every rank: peers that do not exist, regions outside their buffers, sends that no receive
/// meets, sizes that differ at the two ends
void make_flows(context& c);

/// The same for a pattern that the caller has agreed on, and methods that need to know no more of peers than who is
/// near; has_near and has_far are of this rank alone. Local.
void make_agreed_flows(context& c);

/// Finds the memory of all flows anew, when a buffer has moved.
void find_pieces(context& c);

}  // namespace nearfar::exchange
