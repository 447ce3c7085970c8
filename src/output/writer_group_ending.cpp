// SPDX-License-Identifier: BSD-3-Clause
// The end of a group: the writer releases the ring; the ring's memory is kept as long as a writer still uses it.
#include <base/clock.hpp>
#include <base/log.hpp>
#include <topology/team_state.hpp>

#include "writer_group.hpp"

namespace nearfar::output {

namespace {
constexpr double ending_nap_s = 0.05;
}

void writer_group::leave() noexcept {
  ring_.member_state(member_).has_closed.store(1, std::memory_order_release);
  ring_.head().for_taker.ring();
}

void writer_group::end_as(ending how) noexcept {
  ending no = ending::no;
  ring_.head().end.compare_exchange_strong(no, how);
}

/// Waits for what is whole in the ring, or will be. False: not all of it was written by then.
bool writer_group::drain(double until) noexcept {
  ring_head& h = ring_.head();
  const auto is_drained = [&] {
    const std::uint64_t next = h.written.load();
    return ring_.has_failed() || (ring_.is_hopeless(next) && !ring_.is_full(next));
  };
  move_on();
  h.for_members.wait(
      sender_ ? nap_while_sending_s : ending_nap_s, [&] { return is_drained() || seconds_now() > until; },
      [&] { move_on(); });
  return is_drained();
}

bool writer_group::end_writer() { return end_writer(seconds_now() + options_.linger_s); }

/// Ends the thread and the writer's service. False: one of them is stuck and keeps what it needs.
bool writer_group::end_writer(double until) {
  ring_head& h = ring_.head();
  h.for_taker.ring();
  bool is_quiet = true;
  if (queue_place_.place >= 0 && !writers_->queue.withdraw(queue_place_)) {
    const auto has_ended = [&] { return h.has_ended.load() != 0 || !is_alive(writers_->writer_process); };
    h.for_members.wait(
        ending_nap_s, [&] { return has_ended() || seconds_now() > until; }, [] {});
    is_quiet = has_ended();
  }
  if (sender_ && !sender_->end(h.end.load(), until)) {
    sender_.release();  // MPI may still read its memory, and the ring
    is_stuck_ = true, is_quiet = false;
  }
  if (thread_.joinable()) thread_.join();
  step_writer_->rest();
  step_writer_.reset();
  return is_quiet;
}

bool writer_group::end_alone(bool was_told) {
  ring_head& h = ring_.head();
  const double until = seconds_now() + options_.linger_s;
  const bool is_drained = drain(until);
  if (ring_.has_failed() && !was_told) log::warning("output: ", h.message);
  if (!is_drained)
    log::warning("output: ", path_, ": ", accepted_ - h.written.load(), " steps were not written within ",
                 readable_time(options_.linger_s));
  h.end = ending::abandon;
  return end_writer(until) && is_drained;
}

writer_group::~writer_group() {
  if (!is_leader() || !ring_.is_set()) return;
  // A writer of no team of the members, too, must not find the ring in use for something else; if it dies that is over.
  const auto is_quiet = [r = ring_, writer = writers_ ? writers_->writer_process : 0, is_stuck = is_stuck_] {
    if (is_stuck) return false;
    const bool is_served = r.head().serving_process.load() != 0 && r.head().has_ended.load() == 0;
    return !(is_served && is_alive(writer));
  };
  ring_memory_.rest_until(is_quiet);
}

}  // namespace nearfar::output
