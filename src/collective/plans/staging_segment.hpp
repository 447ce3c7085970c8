// SPDX-License-Identifier: BSD-3-Clause
// The near memory of one plan: two slots per rank for what it contributes and combines, and the signals about them.
#pragma once

#include <far/lease_pool.hpp>
#include <near/arena.hpp>
#include <near/signal.hpp>
#include <vector>

namespace nearfar::collective {

/// Every near rank owns a block; it alone writes the slots and `posted` and `combined`, readers write their line of
/// `done`. Epochs go on counting when the segment is lent to the next plan.
class staging_segment {
 public:
  /// `bytes`: of one slot of this rank; ranks may differ. Collective over the team. @throws resource_error on every
  /// rank
  staging_segment(const team& members, index_t bytes);
  ~staging_segment();
  staging_segment(const staging_segment&) = delete;
  staging_segment& operator=(const staging_segment&) = delete;

  index_t slot_bytes() const noexcept { return bytes_[as_size(rank_)]; }
  near::signal& posted(int of) noexcept { return signals_of(of)[0]; }
  near::signal& combined(int of) noexcept { return signals_of(of)[1]; }
  near::signal& done(int of, int reader) noexcept { return signals_of(of)[2 + reader]; }
  std::byte* slot(int of, std::uint64_t at) noexcept {
    return base_[as_size(of)] + data_offset_ + static_cast<index_t>(at % 2) * bytes_[as_size(of)];
  }

  std::uint64_t epoch = 0;  ///< of the latest start on this rank
  std::uint64_t posted_at =
      0;  ///< the latest epoch in which `readers` were given something; 0: none since the segment was lent
  std::vector<int> readers{};

 private:
  near::signal* signals_of(int of) noexcept { return reinterpret_cast<near::signal*>(base_[as_size(of)]); }

  near::arena* arena_;
  int rank_, size_;
  index_t data_offset_;
  std::vector<index_t> bytes_;
  std::vector<std::byte*> base_;
  std::vector<near::mapping> mapped_;
  near::block own_;
};

/// A staging segment with slots of at least `bytes` that no other plan uses; its epoch is the same on all ranks, and no
/// signal is above it. Collective over the team. @throws resource_error on every rank
far::lease_pool<staging_segment>::lease borrow_staging_segment(const team& members, index_t bytes);

}  // namespace nearfar::collective
