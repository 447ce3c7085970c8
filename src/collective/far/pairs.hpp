// SPDX-License-Identifier: BSD-3-Clause
// Alltoall and reduce-scatter over several nodes: one message for each ordered pair of nodes.
#pragma once

#include <collective/algorithm.hpp>

namespace nearfar::collective {

/// Blocks of all ranks of one node for all ranks of another go in one message; the ranks of a node share the other
/// nodes out.
void alltoall_by_pairs(workspace& work, const job& j);

/// reduce_scatter and reduce_scatter_block: the same with the sums of a node's contributions to another node's blocks.
void reduce_scatter_by_pairs(workspace& work, const job& j);

}  // namespace nearfar::collective
