// SPDX-License-Identifier: BSD-3-Clause
// Frames of a group: waiting for a free one, handing it over, and detecting dead processes.
#include <algorithm>
#include <base/clock.hpp>
#include <base/in_flight.hpp>
#include <base/internals.hpp>
#include <base/log.hpp>
#include <near/patience.hpp>
#include <topology/team_state.hpp>

#include "writer_group.hpp"

namespace nearfar::output {

namespace {
constexpr double nap_s = 2e-3;  // peers may wait for an exchange of this rank
constexpr double seconds_between_roll_calls = 0.25, seconds_before_words = 1, seconds_between_words = 5;
}  // namespace

index_t writer_group::written_steps() const noexcept {
  return layout_.plan().first_step + static_cast<index_t>(ring_.head().written.load(std::memory_order_acquire));
}

// Messages move on in calls only, where no thread may send them.
void writer_group::move_on() const {
  if (sender_) sender_->move_on();
}

void writer_group::throw_failure() const {
  if (ring_.has_failed()) throw io_error(ring_.head().message);
}

/// Of this group's data, while there was something to write; 0: not known yet.
double writer_group::bytes_per_s() const noexcept {
  const ring_head& h = ring_.head();
  const double busy_s = h.busy_s.load();
  return busy_s > 0 && !layout_.has_varying()
             ? static_cast<double>(layout_.plan().layout.data_bytes()) * static_cast<double>(h.written.load()) / busy_s
             : 0;
}

void writer_group::tell_progress() const {
  const auto left = static_cast<index_t>(accepted_ - std::min(accepted_, ring_.head().written.load()));
  if (!is_leader() || left == 0) return;
  const index_t bytes_left = left * layout_.plan().layout.data_bytes();
  const double rate = bytes_per_s();
  log::info("output: ", path_, ": step ", steps() - left, " is being written; ", left, left == 1 ? " step" : " steps",
            layout_.has_varying() ? std::string() : text(" (", readable_bytes(bytes_left), ")"), " to be written",
            rate > 0 ? text(" at ", readable_bytes(static_cast<index_t>(rate)), "/s, about ",
                            readable_time(static_cast<double>(bytes_left) / rate), " more")
                     : "");
}

// Ends in an error when the writer has died, or gave no sign of life within the watchdog's time.
template <class Over>
void writer_group::wait(Over is_over) {
  move_on();
  if (is_over()) return;
  ring_head& h = ring_.head();
  const near::wait_policy limits = near::wait_policy::of(state_of(members_));
  double since = seconds_now(), roll_call = since, next_words = since + seconds_before_words;
  std::uint64_t seen = h.progress.load();
  h.for_members.wait(sender_ ? nap_while_sending_s : nap_s, is_over, [&] {
    move_on_in_flight();
    near::let_mpi_progress(limits);
    const double now = seconds_now();
    if (now - roll_call < seconds_between_roll_calls) return;
    roll_call = now;
    if (now > next_words) next_words = now + seconds_between_words, tell_progress();
    const std::uint64_t progress = h.progress.load();
    if (progress != seen) seen = progress, since = now;
    const int process = h.who == taker::process ? h.serving_process.load() : processes_.front();
    if (!is_alive(process))
      throw io_error(text("who writes ", path_, " (process ", process, ") has died; step ", written_steps(),
                          " and later ones are lost"));
    const bool is_unheard = h.who == taker::process && (sender_ ? !sender_->has_heard() : process == 0);
    if (limits.limit_s > 0 && now - since > limits.limit_s)
      throw transport_error(text("step ", written_steps(), " of ", path_, ": nothing was written within ",
                                 readable_time(limits.limit_s), " (NEARFAR_WATCHDOG, seconds; 0 waits for ever)",
                                 is_unheard ? "; does the writer serve()?" : ""));
  });
}

void writer_group::wait_for_frame() {
  const ring_head& h = ring_.head();
  const auto depth = static_cast<std::uint64_t>(depth_);
  const auto is_free = [&] {
    return h.written.load(std::memory_order_acquire) + depth > accepted_ ||
           h.released.load(std::memory_order_acquire) + depth > accepted_;
  };
  wait([&] { return ring_.has_failed() || is_free(); });
  throw_failure();
}

void writer_group::hand_over(double time) {
  if (is_leader()) ring_.time_of(accepted_) = time;
  ++accepted_;
  ring_.member_state(member_).filled.store(accepted_, std::memory_order_release);
  ring_.head().for_taker.ring();
  move_on();
}

// The first rank of the group writes what all have filled, the others wait for it. What goes wrong is told by the next
// begin_step().
void writer_group::write_as_caller() {
  ring_head& h = ring_.head();
  const std::uint64_t step = accepted_ - 1;
  if (!is_leader()) return wait([&] { return ring_.has_failed() || h.written.load() >= accepted_; });
  h.for_taker.wait(
      nap_s, [&] { return ring_.has_failed() || ring_.is_full(step) || ring_.is_hopeless(step); },
      [&] {
        move_on_in_flight();
        for (const int process : processes_)
          if (!is_alive(process))
            ring_.fail(step, text("step ", written_steps(), " of ", path_, ": process ", process,
                                  ", which has a part in it, has died"));
      });
  if (!ring_.has_failed() && ring_.is_full(step)) step_writer_->take_next();
}

void writer_group::wait_until_durable() {
  ring_head& h = ring_.head();
  if (is_leader() && h.who.load() == taker::caller) step_writer_->rest();
  wait([&] { return ring_.has_failed() || h.durable.load(std::memory_order_acquire) >= accepted_; });
  throw_failure();
}

std::string writer_group::describe() const {
  std::string words = text(depth_, " frames of ", readable_bytes(layout_.plan().layout.frame_bytes),
                           ring_.head().is_direct != 0 ? ", direct" : ", through the page cache");
  if (const double rate = bytes_per_s(); rate > 0)
    words += text(", ", readable_bytes(static_cast<index_t>(rate)), "/s while writing");
  if (sender_)
    words +=
        text(", to a writer on another node, sent ", sender_->has_thread() ? "by a thread" : "in the program's calls");
  return words;
}

}  // namespace nearfar::output
