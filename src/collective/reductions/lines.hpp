// SPDX-License-Identifier: BSD-3-Clause
// Reductions whose data fits into a slot of the hall.
#pragma once

#include <collective/algorithm.hpp>

namespace nearfar::collective {

void allreduce_by_lines(rooms& room, const job& j);
void reduce_by_lines(rooms& room, const job& j);
void scan_by_lines(rooms& room, const job& j);  ///< scan and exscan

}  // namespace nearfar::collective
