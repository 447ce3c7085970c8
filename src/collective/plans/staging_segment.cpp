// SPDX-License-Identifier: BSD-3-Clause
// Staging segments are lent, not freed with each plan, since a peer may still read a slot when its owner destroys the
// plan.
#include "staging_segment.hpp"

#include <algorithm>
#include <base/internals.hpp>
#include <topology/team_state.hpp>

namespace nearfar::collective {

namespace {

constexpr index_t least_slot = 4096;

index_t rounded(index_t bytes) { return (std::max(bytes, least_slot) + 63) / 64 * 64; }

}  // namespace

staging_segment::staging_segment(const team& members, index_t bytes)
    : rank_(members.near_rank()), data_offset_((2 + members.near_size()) * static_cast<index_t>(sizeof(near::signal))) {
  segment_.make(members, [&] { return data_offset_ + 2 * rounded(bytes); });
}

far::lease_pool<staging_segment>::lease borrow_staging_segment(const team& members, index_t bytes) {
  auto lease = far::lease_pool<staging_segment>::of(members).borrow(
      members,
      [bytes](const staging_segment& r) { return r.slot_bytes() >= bytes && r.slot_bytes() <= 8 * rounded(bytes); },
      [&] { return std::make_unique<staging_segment>(members, bytes); });
  std::uint64_t latest = lease->epoch;
  watched_mpi("MPI_Allreduce",
              [&] { return MPI_Allreduce(MPI_IN_PLACE, &latest, 1, MPI_UINT64_T, MPI_MAX, members.comm()); });
  lease->epoch = latest;
  return lease;
}

}  // namespace nearfar::collective
