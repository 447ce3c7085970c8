// SPDX-License-Identifier: BSD-3-Clause
// Reductions in the order of ranks: the same bits for any mapping to nodes, any size and any MPI.
#pragma once

#include <collective/algorithm.hpp>

namespace nearfar::collective {

/// Every rank gets all contributions and combines those that it needs: allreduce, reduce (the root alone gets them),
/// scan, exscan.
void reduce_all_in_order(workspace& work, const job& j);

/// Each rank gets one slice of all contributions, combines it, and the slices are put together: allreduce, reduce.
void reduce_slices_in_order(workspace& work, const job& j);

/// Each rank gets all contributions to its own part and combines them: reduce_scatter, reduce_scatter_block.
void reduce_scatter_in_order(workspace& work, const job& j);

}  // namespace nearfar::collective
