// SPDX-License-Identifier: BSD-3-Clause
// The interposer's state of a communicator: counts its collective calls, makes an engine when they turn out to be many,
// and lets that carry them out; whatever does not fit goes to the MPI with the same arguments.
#pragma once

#include <atomic>
#include <collective/call.hpp>
#include <collective/engine.hpp>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <real_mpi.hpp>

#include "call_statistics.hpp"
#include "job_team.hpp"
#include "settings.hpp"

namespace nearfar::interpose {

/// unknown: nothing was called yet; off: every call goes to the MPI for good.
enum class mode : int { unknown, on, off };
extern std::atomic<mode> current_mode;

/// Finds the MPI's functions, once. Ends the program if the MPI in it is of another kind than this library was built
/// for. Local.
void find_mpi() noexcept;

/// At the first collective call: the same, reads the environment, and from then on watches for the end of MPI. Local.
void start() noexcept;

/// After MPI_Init: the same, and knows that all ranks have come this way.
void start_with_everyone() noexcept;

/// Whether this library does anything; starts it at the first question.
inline bool is_on() noexcept {
  if (current_mode.load(std::memory_order_relaxed) == mode::unknown) start();
  return current_mode.load(std::memory_order_relaxed) == mode::on;
}

/// While it lives, errors on the communicator come back as codes. Local.
class quiet {
 public:
  explicit quiet(MPI_Comm comm) noexcept;
  ~quiet();
  quiet(const quiet&) = delete;
  quiet& operator=(const quiet&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
  bool is_set_ = false;
};

class comm_state {
 public:
  explicit comm_state(MPI_Comm comm);
  ~comm_state();
  comm_state(const comm_state&) = delete;
  comm_state& operator=(const comm_state&) = delete;

  /// Nothing can be won: one rank, or an intercommunicator.
  bool is_passive() const noexcept { return is_passive_; }

  /// Carries out one call, which `describe` makes, `native` being the MPI's own with the same arguments. Collective
  /// over the communicator. The caller hands what it returns to `settle`.
  template <class Describe, class Native>
  int carry_out(collective::kind what, Describe&& describe, Native&& native) {
    if (!has_own_handler()) return carry_out_counted(what, describe, native);
    // It runs later, when nothing of ours is under way (settle). Engines, too, call the MPI on this communicator.
    const quiet no_handler(comm_);
    return carry_out_counted(what, describe, [&] {
      const int code = native();
      is_handler_due_ = code != MPI_SUCCESS;
      return code;
    });
  }

  /// The last act of a call: runs the program's error handler where one is due, which may leave by longjmp or an
  /// exception.
  int settle(int code) {
    if (is_handler_due_) [[unlikely]]
      call_handler(code);
    return code;
  }

  /// After the program has set an error handler, and at the start. Local.
  void look_at_handler() noexcept;

  /// Gives the engine back; later calls go to the MPI. Collective where an engine was made.
  void retire() noexcept;

 private:
  template <class Describe, class Native>
  int carry_out_counted(collective::kind what, Describe&& describe, Native&& native) {
    if (statistics().is_open()) return carry_out_timed(describe(), native);
    return carry_out_by_engine(what, describe, native);
  }

  template <class Describe, class Native>
  int carry_out_by_engine(collective::kind what, Describe&& describe, Native&& native) {
    if (is_broken_) return raise_again();
    ++calls_;
    if (!engine_ && is_due() && wanted().keeps_order) make_engine();
    if (!engine_) return carry_out_before_engine(native);
    int code = MPI_SUCCESS;
    try {
      code = engine_->leaves(what) ? engine_->run_unseen(what, native) : engine_->run(describe(), native);
    } catch (const std::exception& e) {
      return complain(what, e.what());
    }
    if (counted(code) && collective::is_time_to_ask(what, calls_, next_question_)) ask_for_near_memory();
    return code;
  }

  // An engine takes all ranks, and so is made behind a call that has gone well: with a wrong call a rank may be alone.
  template <class Native>
  int carry_out_before_engine(Native&& native) {
    const int code = native();
    if (counted(code) && is_due()) make_engine();
    return code;
  }

  template <class Native>
  int carry_out_timed(const collective::call& c, Native&& native) {
    timed_call note(c, ranks_);
    bool was_native = false;
    const auto describe = [&c]() -> const collective::call& { return c; };
    const int code = carry_out_by_engine(c.what, describe, [&] {
      was_native = true;
      return native();
    });
    note.enter(!was_native);
    return code;
  }

  bool has_own_handler() const noexcept { return has_own_handler_.load(std::memory_order_relaxed); }

  void call_handler(int code);

  /// What the MPI refused does not count: it may have happened on this rank alone, and what is done depends on the
  /// number of calls.
  bool counted(int code) {
    if (!collective::is_refusal(code)) return true;
    --calls_;
    return false;
  }
  // Depends on the number of calls alone, which is the same on all ranks.
  bool is_due() const noexcept { return !is_refused_ && calls_ >= next_attempt_; }
  bool is_worth_it() const noexcept;
  void make_engine() noexcept;
  void ask_for_near_memory() noexcept;
  std::int64_t calls_served() const;
  int complain(collective::kind what, const char* cause);
  int raise_again();

  MPI_Comm comm_;
  std::unique_ptr<collective::engine> engine_;
  std::unique_ptr<engine_tags> tags_;  ///< of the engine; on rank 0
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  std::int64_t calls_ = 0, next_attempt_ = 1, next_question_ = never;
  int ranks_ = 1;
  bool is_passive_ = false, is_refused_ = false, is_broken_ = false, is_handler_due_ = false;
  std::atomic<bool> has_own_handler_ = false;
};

/// The state that a communicator has already, or null. Local.
comm_state* known_state(MPI_Comm comm) noexcept;

/// What each thread keeps at hand: whether it is inside a call of ours already, and the states that it met last.
struct thread_notes {
  struct known_comm {
    MPI_Comm comm;
    std::uint64_t generation;
    comm_state* who;
  };
  static constexpr std::size_t known_comms = 8;  // a power of two
  int depth;
  MPI_Comm dying;  ///< that this thread is freeing: callbacks of its attributes may use it
  known_comm last[known_comms];
};
extern __thread thread_notes here __attribute__((tls_model("initial-exec")));

/// Raised whenever a communicator dies: handles are used again by the MPI, so that nothing remembered may outlive it.
/// Relaxed loads suffice: a thread that gets a handle anew got it from the MPI after the MPI had called our callback.
extern std::atomic<std::uint64_t> generation;

/// Handles are small numbers or addresses of large objects, depending on the MPI.
inline std::size_t slot_of(MPI_Comm comm) noexcept {
  std::uintptr_t bits = 0;
  static_assert(sizeof comm <= sizeof bits);
  std::memcpy(&bits, &comm, sizeof comm);
  return (bits ^ bits >> 5U ^ bits >> 9U) % thread_notes::known_comms;
}

/// Null where the call goes to the MPI. Local.
comm_state* look_up(MPI_Comm comm, thread_notes::known_comm& slot) noexcept;

inline comm_state* find_state(MPI_Comm comm) noexcept {
  if (current_mode.load(std::memory_order_relaxed) != mode::on || here.depth != 0) return nullptr;
  thread_notes::known_comm& slot = here.last[slot_of(comm)];
  if (slot.comm == comm && slot.generation == generation.load(std::memory_order_relaxed)) return slot.who;
  return look_up(comm, slot);
}

/// The way of every collective call: `describe` makes the collective::call, `native` runs the MPI's own.
template <class Describe, class Native>
int conduct(MPI_Comm comm, collective::kind what, Describe describe, Native native) {
  if (current_mode.load(std::memory_order_relaxed) == mode::unknown) start();
  comm_state* who = find_state(comm);
  if (who == nullptr) return native();
  // The MPI may call its own collectives by their public names, and so may what it calls back: those are inside this
  // call.
  struct inside {
    inside() noexcept { ++here.depth; }
    ~inside() { --here.depth; }
  };
  const auto carry_out = [&] {
    const inside guard;
    return who->carry_out(what, describe, native);
  };
  return who->settle(carry_out());
}

}  // namespace nearfar::interpose
