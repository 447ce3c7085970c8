// SPDX-License-Identifier: BSD-3-Clause
// The end of a stream: agreed in close(), alone and without MPI in the destructor.
#include <base/clock.hpp>
#include <base/log.hpp>
#include <exception>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "stream_state.hpp"

namespace nearfar {

using namespace output;

namespace {
constexpr double nap_s = 0.05;
}

void output_state::leave() noexcept {
  pinned_.clear();  // before the memory goes
  ring_.desk(member_).has_closed.store(1, std::memory_order_release);
  ring_.head().for_taker.ring();
}

/// Waits for what is whole in the ring, or will be. False: not all of it was written by then.
bool output_state::drain(double until) noexcept {
  ring_head& h = ring_.head();
  const auto is_drained = [&] {
    const std::uint64_t next = h.written.load();
    return ring_.has_failed() || (ring_.is_hopeless(next) && !ring_.is_full(next));
  };
  move_on();
  h.for_members.wait(
      sender_ ? nap_while_sending_s : nap_s, [&] { return is_drained() || seconds_now() > until; }, [&] { move_on(); });
  return is_drained();
}

/// Ends the thread and the writer's service. False: one of them is stuck and keeps what it needs.
bool output_state::end_agent(double until) {
  ring_head& h = ring_.head();
  h.for_taker.ring();
  bool is_quiet = true;
  if (ticket_.place >= 0 && !crew_->letters.withdraw(ticket_)) {
    const auto has_ended = [&] { return h.has_ended.load() != 0 || !is_alive(crew_->writer_process); };
    h.for_members.wait(
        nap_s, [&] { return has_ended() || seconds_now() > until; }, [] {});
    is_quiet = has_ended();
  }
  if (sender_ && !sender_->end(h.end.load(), until)) {
    sender_.release();  // MPI may still read its memory, and the ring
    is_stuck_ = true, is_quiet = false;
  }
  if (thread_.joinable()) thread_.join();
  agent_->rest();
  agent_.reset();
  return is_quiet;
}

void output_state::close() {
  if (is_closed_) return;
  agree(members_, [&] {
    if (is_in_step_) throw usage_error(text("close() of the stream ", path_, " within a step"));
  });
  std::exception_ptr problem;
  try {
    wait_until_durable();
  } catch (const error&) {
    problem = std::current_exception();
    ring_.head().end = ending::abandon;
  }
  is_closed_ = true;
  leave();
  agree(members_, [&] {
    ending no = ending::no;
    ring_.head().end.compare_exchange_strong(no, ending::finish);
    if (is_leader() && !end_agent(seconds_now() + options_.linger_s))
      throw io_error(text("the writer rank does not let go of ", path_));
  });
  agree(members_, [&] {
    try {
      if (store_.is_open()) store_.finish(plan_);
    } catch (const io_error& e) {
      if (!problem) throw;  // else the disk is known to be full, or worse
      log::warning("output: ", path_, ": ", e.what(), "; opening it to append makes up for that");
    }
    store_ = {};
  });
  // An error that was thrown before is not thrown twice.
  agree(members_, [&] {
    if (problem && !was_told_) std::rethrow_exception(problem);
  });
}

// Writers elsewhere may still be at it: only one that is alone may be followed by a cut.
void output_state::end_store(bool is_quiet) {
  if (!store_.is_open()) return;
  if (is_quiet && plan_.writers == 1)
    store_.finish(plan_);
  else
    store_.finish_headers(plan_);
  store_ = {};
}

void output_state::end_alone() {
  leave();
  if (!is_leader()) return;
  ring_head& h = ring_.head();
  const double until = seconds_now() + options_.linger_s;
  const bool is_drained = drain(until);
  if (ring_.has_failed() && !was_told_) log::warning("output: ", h.message);
  if (!is_drained)
    log::warning("output: ", path_, ": ", accepted_ - h.written.load(), " steps were not written within ",
                 readable_time(options_.linger_s));
  h.end = ending::abandon;
  end_store(end_agent(until) && is_drained);
}

output_state::~output_state() {
  try {
    if (ring_.is_set() && !is_closed_) end_alone();
  } catch (const std::exception& e) {
    log::warning("output: ", path_, ": ", e.what());
  }
  if (!ring_memory_) return;
  // A member that still writes into its frame, or a writer that reads it, must not find it in use for something else.
  const auto is_quiet = [r = ring_, writer = crew_ ? crew_->writer_process : 0, is_stuck = is_stuck_] {
    if (is_stuck) return false;
    const bool is_served = r.head().serving_process.load() != 0 && r.head().has_ended.load() == 0;
    return r.have_all_left() && !(is_served && is_alive(writer));
  };
  near::arena::of(members_).retire(std::move(ring_memory_), is_quiet);
}

}  // namespace nearfar
