// SPDX-License-Identifier: BSD-3-Clause
// Allreduce and barrier over several nodes.
#pragma once

#include <collective/algorithm.hpp>
#include <near/past_caches.hpp>

namespace nearfar::collective {

void barrier_by_leaders(workspace& work, const job& j);

/// Data that fits a slot: the leader combines its node's lines, the leaders exchange, the leader's line brings the
/// result.
void allreduce_by_leader_lines(workspace& work, const job& j);

/// Every rank combines all lines of its node and exchanges the sum in its lane: more messages, fewer turns. Equal nodes
/// only.
void allreduce_by_lane_lines(workspace& work, const job& j);

/// Through the rings in pieces; the leaders combine them and exchange groups of pieces while the next group is
/// combined.
void allreduce_by_leaders(workspace& work, const job& j);

/// The same with each piece cut into slices: near rank l combines slice l and exchanges it with its peers in lane l.
void allreduce_by_lanes(workspace& work, const job& j);

}  // namespace nearfar::collective
