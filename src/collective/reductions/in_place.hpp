// SPDX-License-Identifier: BSD-3-Clause
// Reductions that read the callers' own buffers: in shared memory, or in other processes.
#pragma once

#include <collective/algorithm.hpp>

namespace nearfar::collective {

/// Buffers of near memory: each rank combines a slice from everybody's input and stores it into everybody's output. No
/// copy at all. Declines where some rank's buffers are not near memory.
void allreduce_direct(workspace& work, const job& j);

/// Any buffers: each rank reads a slice of everybody's input, and the finished slices of the others (process_vm_readv).
void allreduce_by_reads(workspace& work, const job& j);

}  // namespace nearfar::collective
