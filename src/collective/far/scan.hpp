// SPDX-License-Identifier: BSD-3-Clause
// Scan and exscan over several nodes whose ranks follow each other.
#pragma once

#include <collective/algorithm.hpp>

namespace nearfar::collective {

/// The leaders scan the sums of the nodes, and each rank adds what lies before it on its own node. Both kinds.
void scan_by_leaders(workspace& work, const job& j);

}  // namespace nearfar::collective
