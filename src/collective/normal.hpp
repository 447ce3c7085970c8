// SPDX-License-Identifier: BSD-3-Clause
// From MPI's arguments to the job that algorithms understand; what they cannot serve is left to MPI.
#pragma once

#include <collective/call.hpp>
#include <collective/job.hpp>
#include <vector>

namespace nearfar::collective {

/// Memory that a job needs for the duration of one call, kept by the engine from call to call.
struct job_memory {
  std::vector<index> lists[4];
  std::vector<std::byte> input, output;  ///< packed copies
};

/// Bytes of one element without gaps in memory; -1 for types with gaps, in another order, or that are no types. Local.
index contiguous_bytes(MPI_Datatype type);

/// False when MPI should carry out the call itself: wrong arguments (it has the right words for them), types and operations that
/// nothing here serves. What it says for right arguments is the same on every rank. Local.
bool make_job(const call& c, int rank, int ranks, job& j, job_memory& memory);

/// After the algorithm: unpacks what had to be packed. Local. @return MPI's code
int finish_job(const call& c, const job& j, const job_memory& memory);

}  // namespace nearfar::collective
