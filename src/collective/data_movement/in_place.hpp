// SPDX-License-Identifier: BSD-3-Clause
// Movement that copies once, out of or into the callers' own buffers.
#pragma once

#include <collective/algorithm.hpp>

#include "movement.hpp"

namespace nearfar::collective {

inline constexpr int most_ranks_in_table = 112;  ///< whose places fit into a slot beside its other lines

/// Receivers read the senders' buffers (process_vm_readv); a sender stays until its readers are done.
void move_by_reads(workspace& work, const job& j);

/// The same within a call of the node segment that has used no line yet.
void read_all(node_segment& h, const movement& m);

/// The end of reading, in the last line of the slot: a receiver that could not read everything gets its blocks that are
/// longer than `longer_than` by messages, and senders wait for the word of their receivers.
void finish_reading(node_segment& h, const movement& m, bool is_all_read, index_t longer_than = 0);

/// Buffers of near memory: receivers copy from the senders' buffers; in gather the senders copy into the root's.
/// Declines where the buffers concerned are not near memory.
void move_directly(workspace& work, const job& j);

}  // namespace nearfar::collective
