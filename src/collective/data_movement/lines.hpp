// SPDX-License-Identifier: BSD-3-Clause
// Movement of tiny data, and barriers: what is sent lies in cache lines together with the number of the call.
#pragma once

#include <collective/algorithm.hpp>

#include "movement.hpp"

namespace nearfar::collective {

/// Blocks of one length; all blocks that a rank sends fit into its slot.
void move_by_lines(workspace& work, const job& j);

/// Everybody writes one line and reads those of all others.
void barrier_by_lines(workspace& work, const job& j);

/// In round k everybody waits for the rank 2^k before it (Hensgen, Finkel and Manber 1988): fewer lines to read from
/// many ranks up.
void barrier_by_rounds(workspace& work, const job& j);

/// The lines that a rank's blocks need.
constexpr index_t lines_of_blocks(index_t blocks, index_t bytes) { return blocks * near::lines_for(bytes); }

}  // namespace nearfar::collective
