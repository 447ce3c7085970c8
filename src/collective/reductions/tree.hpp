// SPDX-License-Identifier: BSD-3-Clause
// Tiny reductions of many near ranks in two levels.
#pragma once

#include <collective/algorithm.hpp>

namespace nearfar::collective {

inline constexpr index_t tree_bytes =
    node_segment::slot_bytes / 2;  ///< a slot holds the contribution and the sum of a group

/// The first rank of each group combines the group's contributions; all ranks combine the groups' sums. Groups share a
/// last-level cache where ranks are bound so, else there are about as many groups as ranks in one.
void allreduce_by_tree(workspace& work, const job& j);

}  // namespace nearfar::collective
