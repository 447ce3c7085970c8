// SPDX-License-Identifier: BSD-3-Clause
// The v and w variants over several nodes, where no rank knows all lengths.
#pragma once

#include <collective/algorithm.hpp>

namespace nearfar::collective {

// Blocks of at most `packed_bytes` travel together. Sender and receiver of a block both know its length, so longer
// blocks go directly from one to the other, and no other rank needs to know.

/// gatherv: each leader collects the short blocks of its node and sends them in one message. No sender waits for the
/// root.
void gatherv_by_leaders(workspace& work, const job& j);

/// scatterv: one message to each leader with lengths and short blocks, which near ranks read.
void scatterv_by_leaders(workspace& work, const job& j);

/// alltoallv, alltoallw: one message of short blocks per pair of nodes; every rank shows its near ranks what it sends
/// and expects.
void alltoallv_by_pairs(workspace& work, const job& j);

/// The longest block of alltoallv that is packed; teams for which it is too short are not served.
index_t packed_bytes_between_pairs(int nodes, int near_ranks);
inline constexpr index_t least_packed_bytes = 64;

}  // namespace nearfar::collective
