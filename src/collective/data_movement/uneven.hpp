// SPDX-License-Identifier: BSD-3-Clause
// Movement of blocks whose lengths only their senders and receivers know: the method is agreed in the call itself.
#pragma once

#include <collective/algorithm.hpp>
#include <near/past_caches.hpp>

#include "movement.hpp"

namespace nearfar::collective {

/// scatterv, alltoallv, alltoallw: the senders' first lines have the length of their longest block and, if all their
/// blocks fit into the slot, the places of these. Longer blocks go through the rings, written as the workspace's cut
/// says, or are read in place (process_vm_readv).
void move_uneven_by_ring(workspace& work, const job& j);
void move_uneven_by_reads(workspace& work, const job& j);

/// gatherv: the root, which knows all lengths, tells the longest; then lines or rings.
void gatherv_by_ring(workspace& work, const job& j);

/// gatherv: short blocks in lines, those up to 8 kB by messages, longer ones read by the root. No sender of a short
/// block waits for the root.
void gatherv_by_reads(workspace& work, const job& j);

/// allgatherv: everybody knows all lengths. Lines if no block is longer than a slot.
void allgatherv_by_lines(workspace& work, const job& j);

}  // namespace nearfar::collective
