// SPDX-License-Identifier: BSD-3-Clause
// Doorbells: a rank that waits only for near ranks can sleep until one of them has published something.
#pragma once

#include <atomic>
#include <cstdint>
#include <near/shared_segment.hpp>
#include <near/signal.hpp>
#include <nearfar/team.hpp>

namespace nearfar::near {

/// One doorbell per near rank, in near memory, if NEARFAR_NAP_US allows sleep and ranks outnumber cores. Other teams
/// have none: their ranks spin, and ring() costs a branch.
///
/// Where ranks share cores, yielding hands a core over slowly: the scheduler often gives it back to the rank that
/// yields (Linux 6.18, two ranks to a core: 9 yields for each change of ranks). A rank that sleeps frees the core at
/// once, and the rank that rings continues until it has to wait itself.
///
/// No ring is lost: the sleeper stores is_asleep = 1 and checks the data once more before it sleeps; the ringer has
/// published the data before it reads is_asleep. Both have a sequentially consistent fence between store and load, so
/// at least one of them sees the other's store. Sleep is short all the same (NEARFAR_NAP_US), so that MPI, the watchdog
/// and other operations progress.
class doorbells {
 public:
  /// The team's doorbells, made (collectively) at the first call. @throws resource_error
  static const doorbells& of(const team& members);
  /// For what is made without communication: nobody sleeps. Local.
  static const doorbells& none();

  /// The longest sleep that NEARFAR_NAP_US may ask for. A test makes it hours, so that rings alone end a nap: a
  /// lost one is then a hang on any machine, and no other nap is slept out on a busy one.
  static inline std::int64_t most_nap_us = 100'000;

  doorbells(const doorbells&) = delete;
  doorbells& operator=(const doorbells&) = delete;

  /// False where this rank had better spin or yield.
  bool may_nap() const noexcept { return longest_nap_us_ > 0; }

  /// Wakes a near rank that sleeps. After what it waits for has been published; local.
  void ring(int near_rank) const noexcept {
    if (doorbells_ != nullptr) wake(doorbells_[near_rank]);
  }

  /// How many naps of this rank nobody ended.
  int naps_slept_out() const noexcept { return slept_out_.load(std::memory_order_relaxed); }

  enum class nap {
    unneeded,   ///< it did not sleep
    rung,       ///< a ring ended it
    disturbed,  ///< a signal did, or the system call of a ring whose store had ended the nap before
    slept_out   ///< nothing did
  };

  /// Sleeps until this rank's doorbell is rung or some time has passed, unless `done` is true at a last look. Local.
  /// Two threads of a rank may sleep at once; one of them may then miss a ring and sleep its time out.
  template <class Done>
  nap nap_unless(Done done) const {
    if (lie_down(); done()) {
      stand_up();
      return nap::unneeded;
    }
    return sleep();
  }

 private:
  /// In near memory that starts as zeros.
  struct alignas(cache_line_bytes) doorbell {
    std::atomic<std::uint32_t> is_asleep;
  };
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

  doorbells() = default;
  explicit doorbells(const team& members);
  static void wake(doorbell& of) noexcept;
  /// What is looked at after this is seen as it is unless its writer sees this rank lie: see wake().
  void lie_down() const noexcept {
    own_->is_asleep.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  void stand_up() const noexcept { own_->is_asleep.store(0, std::memory_order_relaxed); }
  nap sleep() const noexcept;

  shared_segment segment_;  ///< near rank 0's
  doorbell* doorbells_ = nullptr;
  doorbell* own_ = nullptr;
  std::int64_t longest_nap_us_ = 0;
  mutable std::atomic<int> slept_out_ = 0;
};

}  // namespace nearfar::near
