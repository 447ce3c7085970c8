// SPDX-License-Identifier: BSD-3-Clause
// Reductions through the rings: every rank copies its contribution into its ring, a few pieces ahead of the combining,
// as the workspace's cut says.
#pragma once

#include <collective/algorithm.hpp>
#include <near/past_caches.hpp>

namespace nearfar::collective {

/// Every rank combines all contributions piece by piece, in the order of ranks.
void allreduce_by_ring(workspace& work, const job& j);

/// The root combines, the others only copy in. Also scan and exscan: each rank combines those up to itself.
void rooted_by_ring(workspace& work, const job& j);

/// Each rank combines one slice of every piece and the others copy its result: less work from a few ranks up.
void allreduce_by_slices(workspace& work, const job& j);

}  // namespace nearfar::collective
