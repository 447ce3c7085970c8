// SPDX-License-Identifier: BSD-3-Clause
// Reductions through the rings: every rank copies its contribution into its ring, a few pieces ahead of the combining.
#pragma once

#include <collective/algorithm.hpp>
#include <near/past_caches.hpp>

namespace nearfar::collective {

/// Every rank combines all contributions piece by piece, in the order of ranks.
template <index_t piece_bytes, int ahead, near::stores how = near::stores::ordinary>
void allreduce_by_ring(workspace& work, const job& j);

/// The root combines, the others only copy in. Also scan and exscan: each rank combines those up to itself.
template <index_t piece_bytes, int ahead, near::stores how = near::stores::ordinary>
void rooted_by_ring(workspace& work, const job& j);

/// Each rank combines one slice of every piece and the others copy its result: less work from a few ranks up.
template <near::stores how>
void allreduce_by_slices(workspace& work, const job& j);

}  // namespace nearfar::collective
