// SPDX-License-Identifier: BSD-3-Clause
// The threads of one rank, which exchange small data through cache lines that only one thread writes.
#pragma once

#include <atomic>
#include <base/numbers.hpp>
#include <cstdint>
#include <memory>
#include <mutex>
#include <near/line.hpp>
#include <near/patience.hpp>
#include <near/signal.hpp>
#include <nearfar/error.hpp>
#include <string>

namespace nearfar::threads {

/// What a thread group is made of.
struct thread_group_setting {
  int threads = 1;
  std::string name = "thread team";  ///< in messages
  near::wait_policy first{};         ///< how thread 0 waits: it may look after MPI
  near::wait_policy others{};        ///< how the others wait: `comm` is null, since MPI may not be theirs to call
  const near::line_kernel* lines = nullptr;  ///< null: eight words
};

/// Calls are numbered from 1 on, for each thread by itself; all threads make the same calls in the same order. A call
/// has a *mark*, which says what is called with which sizes: threads whose marks differ find out and all throw.
///
/// No lock, no atomic read-modify-write: each thread writes only to its own seat. Posts alternate between two slots, so
/// a call must not end for a thread before it knows that every other thread has begun it.
class thread_group {
 public:
  static constexpr index_t post_lines = 20;
  static constexpr index_t post_bytes = post_lines * near::line_payload_bytes;
  static constexpr int most_flat = 4;  ///< threads up to which everyone looks at everyone; above, thread 0 gathers

  /// @throws usage_error if there is not at least one thread
  explicit thread_group(thread_group_setting how);

  int threads() const noexcept { return how_.threads; }
  bool is_flat() const noexcept { return how_.threads <= most_flat; }

  /// `me` begins its next call.
  void begin(int me, std::uint32_t mark) noexcept {
    seat& mine = seat_of(me);
    ++mine.call;
    mine.phase = mine.call << bits_of_mark;
    mine.epoch = mine.phase | (mark & ((1U << bits_of_mark) - 1));
    mine.sequence.store(mine.epoch,
                        std::memory_order_relaxed);  // carries no data; only looked at in waits that have become long
  }

  /// Shows at most post_bytes bytes to the others; once per call.
  void post(int me, const void* data, index_t bytes) noexcept {
    write(seat_of(me).posts[seat_of(me).call & 1], me, data, bytes);
  }
  /// Waits for what `from` posts in this call.
  void collect(int me, int from, void* to, index_t bytes) {
    read(seat_of(from).posts[seat_of(me).call & 1], me, from, to, bytes);
  }

  /// What thread 0 makes of the posts; once per call.
  void announce(const void* data, index_t bytes) noexcept { write(answers_[seats_[0].call & 1].lines, 0, data, bytes); }
  void hear(int me, void* to, index_t bytes) { read(answers_[seat_of(me).call & 1].lines, me, 0, to, bytes); }

  /// `me` has reached the next point of this call; what it stored before is seen by those who await it there.
  void arrive(int me) noexcept {
    seat& mine = seat_of(me);
    mine.progress.set(++mine.phase);
  }
  /// Waits until `whom` has arrived at the point at which `me` arrived last.
  void await(int me, int whom) {
    const std::uint64_t point = seat_of(me).phase;
    wait(me, whom, [&] { return seat_of(whom).progress.has_reached(point); });
  }
  /// All wait for all at this point. Every thread must call it.
  void meet(int me);
  /// Thread 0 runs `step` when all have arrived; the others wait until it is done. Every thread must call it.
  template <class Step>
  void meet_around(int me, Step step) {
    arrive(me);
    if (me == 0) {
      for (int other = 1; other < how_.threads; ++other) await(0, other);
      step();
      arrive(0);
    } else {
      ++seat_of(me).phase;  // thread 0 reaches the second point when all have reached the first
      await(me, 0);
    }
  }

  /// Ends this call of `me` in an error: threads that wait in the same call, or come to it, throw the same.
  void complain(int me, status kind, const std::string& words);
  /// `me` takes part in no call any more: every wait of the others ends in an error.
  void abandon(int me) noexcept;
  /// @throws transport_error after abandon()
  void require_all_here() const;

 private:
  static constexpr int bits_of_mark = 20;  // 44 bits number calls: at one call per 200 ns they last for 40 days
  static constexpr std::uint64_t for_ever = ~std::uint64_t{0};

  struct alignas(2 * near::cache_line_bytes) seat {  // processors fetch lines in pairs
    near::line posts[2][post_lines] = {};
    near::signal progress{};
    std::atomic<std::uint64_t> sequence{0};  ///< epoch of the call that the thread is in
    alignas(2 * near::cache_line_bytes) std::uint64_t call = 0, phase = 0, epoch = 0;  ///< the thread's own
  };
  struct alignas(2 * near::cache_line_bytes) answer {
    near::line lines[post_lines] = {};
  };

  void write(near::line* to, int me, const void* data, index_t bytes) noexcept;
  void read(const near::line* from, int me, int whom, void* to, index_t bytes);
  seat& seat_of(int thread) const noexcept { return seats_[as_size(thread)]; }
  std::uint64_t call_of(int thread) const noexcept { return seat_of(thread).epoch >> bits_of_mark; }
  void look_for_complaints(int me, int whom);
  [[noreturn]] void throw_complaint() const;

  template <class Ready>
  void wait(int me, int whom, Ready ready) {
    for (int i = 0; i < quick_polls_; ++i)
      if (ready()) return;
    const near::wait_policy& policy = me == 0 ? how_.first : how_.others;
    const std::function<std::string()> words = [this, whom] { return name_of(whom); };
    near::patience patience(policy, how_.name, words);
    while (!ready()) {
      // What is waited for may have come between the last look at it and the complaint about a later call.
      if (is_worth_a_look(me, whom) && !ready()) look_for_complaints(me, whom);
      patience.idle();
    }
  }
  bool is_worth_a_look(int me, int whom) const noexcept {
    return complained_.load(std::memory_order_acquire) >= seat_of(me).call ||
           seat_of(whom).sequence.load(std::memory_order_relaxed) != seat_of(me).epoch;
  }
  std::string name_of(int thread) const;

  thread_group_setting how_;
  int quick_polls_ = 1;
  std::unique_ptr<seat[]> seats_;
  answer answers_[2];
  std::atomic<std::uint64_t> complained_{0};  ///< the latest call that ended in an error; pairs with is_worth_a_look
  mutable std::mutex mutex_;                  ///< of the two below; errors only
  status kind_ = status::ok;
  std::string text_;
};

}  // namespace nearfar::threads
