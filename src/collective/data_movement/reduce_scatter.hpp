// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter and reduce_scatter_block: each rank gets its own part of everybody's vector and combines it, in the
// order of ranks.
#pragma once

#include <collective/algorithm.hpp>
#include <near/past_caches.hpp>

namespace nearfar::collective {

/// All parts in the lines of a slot.
void reduce_scatter_by_lines(workspace& work, const job& j);

/// The parts for others are copied into rings, some steps ahead of those who combine.
void reduce_scatter_by_ring(workspace& work, const job& j);

}  // namespace nearfar::collective
