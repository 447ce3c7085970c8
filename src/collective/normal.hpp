// SPDX-License-Identifier: BSD-3-Clause
// From MPI's arguments to the job of an algorithm; calls that no algorithm supports are left to MPI.
#pragma once

#include <collective/call.hpp>
#include <collective/claim.hpp>
#include <collective/job.hpp>
#include <vector>

#include "types.hpp"

namespace nearfar::collective {

/// Memory that a job needs for the duration of one call, kept by the engine from call to call.
struct job_memory {
  std::vector<index_t> send_bytes, send_offsets, receive_bytes, receive_offsets;
  std::vector<std::byte> input, output;  ///< packed copies
  std::vector<packing> to_pack;          ///< what belongs into `input`, and blocks in place
  std::vector<packing> to_unpack;        ///< parts of `output` and where they belong
};

/// False when MPI should carry out the call itself: wrong arguments (it has the right words for them), types and
/// operations that nothing here serves. What it says for right arguments is the same on every rank: it depends on bytes
/// of the type signature, not on how a rank's types lay them out. Local.
bool make_job(const call& c, int rank, int ranks, job& j, job_memory& memory);

/// What all ranks must agree on in such a job. Local.
call_claim claim_of(const job& j);

/// Before an algorithm: packs what has gaps. Local. @throws transport_error  if MPI cannot
void prepare_job(job_memory& memory);

/// After the algorithm: unpacks what had to be packed. Local. @return MPI's code
int finish_job(const call& c, const job& j, const job_memory& memory);

}  // namespace nearfar::collective
