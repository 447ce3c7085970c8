// SPDX-License-Identifier: BSD-3-Clause
// Gather, scatter and allgather over several nodes.
#pragma once

#include <collective/algorithm.hpp>

namespace nearfar::collective {

/// One message per node: its leader collects the blocks of its ranks, or hands them out.
void gather_by_leaders(workspace& work, const job& j);
void scatter_by_leaders(workspace& work, const job& j);

/// allgather and allgatherv: one message per pair of nodes.
void allgather_by_leaders(workspace& work, const job& j);

/// allgather and allgatherv: each rank sends its block to one rank of every other node; what came is passed around in
/// the node in pieces.
void allgather_by_lanes(workspace& work, const job& j);

}  // namespace nearfar::collective
