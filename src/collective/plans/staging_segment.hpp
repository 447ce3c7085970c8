// SPDX-License-Identifier: BSD-3-Clause
// The near memory of one plan: two slots per rank for what it contributes and combines, and the signals about them.
#pragma once

#include <far/lease_pool.hpp>
#include <near/shared_segment.hpp>
#include <near/signal.hpp>

namespace nearfar::collective {

/// Every near rank owns a block: it alone writes the slots, `posted` and `combined`; each reader writes its line of
/// `done`. The protocol: slot_operation.cpp. Epochs continue when the segment is lent to the next plan.
class staging_segment {
 public:
  /// `bytes`: of one slot of this rank; ranks may differ. Collective over the team. @throws resource_error on every
  /// rank
  staging_segment(const team& members, index_t bytes);

  index_t slot_bytes() const noexcept { return slot_bytes_of(rank_); }
  near::signal& posted(int of) noexcept { return signals_of(of)[0]; }
  near::signal& combined(int of) noexcept { return signals_of(of)[1]; }
  near::signal& done(int of, int reader) noexcept { return signals_of(of)[2 + reader]; }
  std::byte* slot(int of, std::uint64_t at) noexcept {
    return segment_.of(of) + data_offset_ + static_cast<index_t>(at % 2) * slot_bytes_of(of);
  }

  std::uint64_t epoch = 0;  ///< of the latest start on this rank

 private:
  near::signal* signals_of(int of) noexcept { return reinterpret_cast<near::signal*>(segment_.of(of)); }
  index_t slot_bytes_of(int near_rank) const noexcept { return (segment_.bytes_of(near_rank) - data_offset_) / 2; }

  int rank_;
  index_t data_offset_;
  near::shared_segment segment_;
};

/// A staging segment with slots of at least `bytes` that no other plan uses; its epoch is the same on all ranks, and no
/// signal is above it. Collective over the team. @throws resource_error on every rank
far::lease_pool<staging_segment>::lease borrow_staging_segment(const team& members, index_t bytes);

}  // namespace nearfar::collective
