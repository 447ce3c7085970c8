// SPDX-License-Identifier: BSD-3-Clause
// A ring of `depth` frames in memory that a group of ranks (members) shares with its writer (taker).
//
//   [ ring_head | ring_member 0 … | times | frame 0 | … | frame depth - 1 ]      step s is in frame s mod depth
//
//   member m  waits until released + depth > s, fills its part of the frame, filled(m) = s + 1
//   writer    when filled(m) > s for all m: writes the frame, released = s + 1; after the journal's record written =
//             s + 1, after its fdatasync durable = s + 1
//
// Only member m writes ring_member m; member 0 also writes the time; only the writer writes released, written and
// durable. All counters only grow, are stored with release and loaded with acquire. So the writer reads a frame only
// when it is full, and members write into it only when it is released. Waiting sleeps on the doorbells.
#pragma once

#include <atomic>
#include <base/numbers.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace nearfar::output {

/// A futex that waits for a change. Lives in shared memory that starts as zeros.
struct alignas(64) doorbell {
  std::atomic<std::uint32_t> count, sleepers;

  /// After a change that someone may wait for.
  void ring() noexcept;

  /// Wakes sleepers without a store: for callers that may no longer write to the ring. Sleepers wake at the end of
  /// their nap at the latest.
  void wake() noexcept;

  /// Returns when `is_over()`. Between naps, at most `nap_s` long, `look()` is called; it may throw.
  template <class Over, class Look>
  void wait(double nap_s, Over is_over, Look look) {
    for (;;) {
      const std::uint32_t seen = count.load(std::memory_order_seq_cst);
      if (is_over()) return;
      nap(seen, nap_s);
      look();
    }
  }

 private:
  void nap(std::uint32_t seen, double nap_s) noexcept;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free);

/// Who takes the steps out of a ring.
enum class taker : std::uint32_t { caller, thread, process };

/// Whether the stream ends: finish: members have no more steps; abandon: the writer shall not wait for any.
enum class ending : std::uint32_t { no, finish, abandon };

struct ring_head {
  doorbell for_taker, for_members;
  alignas(64) std::atomic<std::uint64_t> written;  ///< steps in the journal; release, pairs with the members' acquire
  std::atomic<std::uint64_t> durable;              ///< the same, and the journal itself is on disk
  std::atomic<std::uint64_t>
      released;  ///< steps that are in their files or with a writer on another node: their frames are free
  std::atomic<std::uint64_t> progress;    ///< blocks written: a sign of life
  std::atomic<std::uint32_t> has_failed;  ///< release, after the two below
  std::int64_t failed_step;
  char message[480];
  alignas(64) std::atomic<taker> who;
  std::atomic<ending> end;
  std::atomic<std::int32_t> serving_process;  ///< id of the writer rank's process once it is there
  std::atomic<std::uint32_t> has_ended;       ///< the writer rank lets go of the ring
  std::atomic<double> busy_s;                 ///< in writing, all steps
  std::atomic<std::uint32_t> is_direct;
};

/// What one member alone writes.
struct alignas(64) ring_member {
  std::atomic<std::uint64_t> filled;  ///< steps handed over; release, pairs with the taker's acquire
  std::atomic<std::uint32_t> has_closed;
  std::atomic<std::int32_t> process;
};

/// The ring as a process sees it: a base address, and what is where.
class ring {
 public:
  ring() = default;
  ring(std::byte* base, int members, int depth, index_t frame_bytes) noexcept
      : base_(base), members_(members), depth_(depth), frame_bytes_(frame_bytes) {}
  static index_t bytes(int members, int depth, index_t frame_bytes) noexcept;

  bool is_set() const noexcept { return base_ != nullptr; }
  /// Enters all pages into this process's tables now, instead of one by one while the first steps are copied (2 µs
  /// each).
  void touch() const noexcept;
  ring_head& head() const noexcept { return *reinterpret_cast<ring_head*>(base_); }
  ring_member& member_state(int member) const noexcept;
  double& time_of(std::uint64_t step) const noexcept;  ///< written by member 0
  std::byte* frame(std::uint64_t step) const noexcept;
  int members() const noexcept { return members_; }
  int depth() const noexcept { return depth_; }

  /// All members have filled the step.
  bool is_full(std::uint64_t step) const noexcept;
  /// Some member has closed without filling the step: it will never be full.
  bool is_hopeless(std::uint64_t step) const noexcept;
  bool has_failed() const noexcept { return head().has_failed.load(std::memory_order_acquire) != 0; }
  void fail(std::uint64_t step, const std::string& message) const noexcept;

 private:
  std::byte* base_ = nullptr;
  int members_ = 0, depth_ = 0;
  index_t frame_bytes_ = 0;
};

bool is_alive(int process) noexcept;

}  // namespace nearfar::output
