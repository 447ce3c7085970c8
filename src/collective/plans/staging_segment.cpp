// SPDX-License-Identifier: BSD-3-Clause
// Staging segments are lent, not freed with each plan: a peer may still read a slot when its owner destroys the plan.
#include "staging_segment.hpp"

#include <algorithm>
#include <base/internals.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

namespace nearfar::collective {

namespace {

constexpr index_t least_slot = 4096;

struct introduction {
  near::handle where;
  index_t bytes;
};

index_t rounded(index_t bytes) { return (std::max(bytes, least_slot) + 63) / 64 * 64; }

}  // namespace

staging_segment::staging_segment(const team& members, index_t bytes)
    : arena_(&near::arena::of(members)),
      rank_(members.near_rank()),
      size_(members.near_size()),
      data_offset_((2 + members.near_size()) * static_cast<index_t>(sizeof(near::signal))),
      bytes_(as_size(size_)),
      base_(as_size(size_)) {
  introduction mine{{}, rounded(bytes)};
  agree(members, [&] {
    if (!arena_->is_shared() && size_ > 1) throw resource_error("near ranks cannot map each other's memory here");
    own_ = arena_->allocate(data_offset_ + 2 * mine.bytes);
  });
  if (size_ > 1) mine.where = arena_->find(own_.data(), 1);
  std::vector<introduction> all(as_size(size_));
  watched_mpi("MPI_Allgather", [&] {
    return MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, state_of(members).node_comm);
  });
  agree(members, [&] {
    for (int r = 0; r < size_; ++r) {
      bytes_[as_size(r)] = all[as_size(r)].bytes;
      base_[as_size(r)] = own_.data();
      if (r == rank_) continue;
      mapped_.push_back(arena_->attach(all[as_size(r)].where));
      base_[as_size(r)] = mapped_.back().at(all[as_size(r)].where);
    }
  });
}

// The team may go while a peer still reads the last epoch: its mark, in this rank's own block, says when it is over.
staging_segment::~staging_segment() {
  if (!own_ || posted_at == 0) return;
  const auto* signals = reinterpret_cast<const near::signal*>(own_.data());
  arena_->retire(own_, [signals, last = posted_at, all = readers] {
    return std::all_of(all.begin(), all.end(), [&](int r) { return signals[2 + r].has_reached(last); });
  });
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
  lease->posted_at = 0;
  return lease;
}

}  // namespace nearfar::collective
