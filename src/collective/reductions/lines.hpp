// SPDX-License-Identifier: BSD-3-Clause
// Reductions whose data fits into a slot of the node segment.
#pragma once

#include <collective/algorithm.hpp>

namespace nearfar::collective {

/// out = the contributions of near ranks first … last, combined from left to right; this rank's own comes from `j.in`,
/// the others' from their slots of this call.
void combine_slots(node_segment& h, const job& j, int first, int last, std::byte* out);

void allreduce_by_lines(workspace& work, const job& j);
void reduce_by_lines(workspace& work, const job& j);
void scan_by_lines(workspace& work, const job& j);  ///< scan and exscan

}  // namespace nearfar::collective
