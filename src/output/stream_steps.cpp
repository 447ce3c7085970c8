// SPDX-License-Identifier: BSD-3-Clause
// The steps of a stream: waiting for a frame, filling it, handing it over.
#include <algorithm>
#include <base/clock.hpp>
#include <base/in_flight.hpp>
#include <base/internals.hpp>
#include <base/log.hpp>
#include <near/patience.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "box_copy.hpp"
#include "device_copy.hpp"
#include "stream_state.hpp"

namespace nearfar {

using namespace output;

namespace {
constexpr double nap_s = 2e-3;  // peers may wait for an exchange of this rank
constexpr double seconds_between_roll_calls = 0.25, seconds_before_words = 1, seconds_between_words = 5;
}  // namespace

std::size_t output_state::find(const std::string& name) const {
  std::string names;
  for (std::size_t a = 0; a < arrays_.size(); ++a) {
    if (arrays_[a].name == name) return a;
    names += text(a > 0 ? ", " : "", arrays_[a].name);
  }
  throw usage_error(text("the stream ", path_, " has no array '", name, "'; it has ", names));
}

void output_state::require_open(const char* call) const {
  if (is_closed_) throw usage_error(text(call, " of the stream ", path_, ", which is closed"));
}

void output_state::require_step(const char* call) const {
  require_open(call);
  if (!is_in_step_) throw usage_error(text(call, " of the stream ", path_, " outside begin_step() … end_step()"));
}

// Messages move on in calls only, where no thread may send them.
void output_state::move_on() const {
  if (sender_) sender_->move_on();
}

void output_state::throw_failure() const {
  if (ring_.has_failed()) throw io_error(ring_.head().message);
}

/// Of this group's data, while there was something to write; 0: not known yet.
double output_state::bytes_per_s() const noexcept {
  const ring_head& h = ring_.head();
  const double busy_s = h.busy_s.load();
  return busy_s > 0 && !has_varying()
             ? static_cast<double>(plan_.layout.data_bytes()) * static_cast<double>(h.written.load()) / busy_s
             : 0;
}

void output_state::tell_progress() const {
  const auto left = static_cast<index_t>(accepted_ - std::min(accepted_, ring_.head().written.load()));
  if (!is_leader() || left == 0) return;
  const index_t bytes_left = left * plan_.layout.data_bytes();
  const double rate = bytes_per_s();
  log::info("output: ", path_, ": step ", steps() - left, " is being written; ", left, left == 1 ? " step" : " steps",
            has_varying() ? std::string() : text(" (", readable_bytes(bytes_left), ")"), " to be written",
            rate > 0 ? text(" at ", readable_bytes(static_cast<index_t>(rate)), "/s, about ",
                            readable_time(static_cast<double>(bytes_left) / rate), " more")
                     : "");
}

// Ends in an error when the writer has died, or gave no sign of life within the watchdog's time.
template <class Over>
void output_state::wait(Over is_over) {
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

void output_state::wait_for_frame() {
  require_open("begin_step()");
  if (is_in_step_) throw usage_error(text("begin_step() of the stream ", path_, " within a step"));
  if (const index_t most = plan_.files.most_steps; most > 0 && steps() >= most)
    throw usage_error(text("begin_step() of the stream ", path_, ", which has room for ", most,
                           " steps (output_options::expected_steps); 0 makes a file per step"));
  const ring_head& h = ring_.head();
  const auto depth = static_cast<std::uint64_t>(depth_);
  const auto is_free = [&] {
    return h.written.load(std::memory_order_acquire) + depth > accepted_ ||
           h.released.load(std::memory_order_acquire) + depth > accepted_;
  };
  wait([&] { return ring_.has_failed() || is_free(); });
  throw_failure();
}

void output_state::note_wait(double since) noexcept {
  const double waited = seconds_now() - since;
  waited_s_ += waited, longest_wait_s_ = std::max(longest_wait_s_, waited);
}

void output_state::await_step(const std::vector<index_t>& rows) {
  const double began = seconds_now();
  try {
    agree(members_, [&] {
      check_rows(rows);
      wait_for_frame();
    });
    note_wait(began);
    if (trial_.is_on() && trial_.note_step(seconds_now())) follow_trial();
  } catch (const io_error&) {
    was_told_ = true;
    throw;
  }
}

index_t output_state::begin_step(double time, const std::vector<index_t>& rows) {
  try {
    lay_out_step(time, rows);
  } catch (const io_error&) {
    was_told_ = true;
    throw;
  }
  is_in_step_ = true;
  time_ = time;
  for (std::size_t a = 0; a < places_.size(); ++a) places_[a].is_given = has_none(a);
  return steps();
}

/// Whether this rank has nothing to give of an array in this step.
bool output_state::has_none(std::size_t array) const noexcept {
  const brick* in = places_[array].in;
  return in == nullptr || rows_[array] == 0 || !plan_.layout.has(*in, steps());
}

std::byte* output_state::address(const place& p) const {
  const brick& b = now_.bricks[static_cast<std::size_t>(p.in - plan_.layout.bricks.data())];
  return ring_.frame(accepted_) + b.base + plan_.shift(now_, b) + p.offset_bytes;
}

void output_state::put(const std::string& name, const void* data) {
  require_step("put()");
  const std::size_t a = find(name);
  const output_array& array = arrays_[a];
  std::array<index_t, max_dimensions> strides{};
  index_t stride = shape(a).element_bytes, first = 0;
  for (int d = array.own.dimensions - 1; d >= 0; --d) {
    strides[static_cast<std::size_t>(d)] = stride;
    first += array.padding.low(d) * stride;
    stride *= array.own.extent(d) + array.padding.low(d) + array.padding.high(d);
  }
  put(name, data == nullptr ? nullptr : static_cast<const std::byte*>(data) + first, strides);
}

void output_state::put(const std::string& name, const void* data,
                       const std::array<index_t, max_dimensions>& strides_bytes) {
  require_step("put()");
  const std::size_t a = find(name);
  place& p = places_[a];
  if (has_none(a)) return;
  if (data == nullptr) throw usage_error(text("put() of array ", name, " of ", path_, " with null"));
  const double began = seconds_now();
  const box& own = arrays_[a].own;
  strided_box s{own.dimensions, shape(a).element_bytes, {}, strides_bytes, p.strides_bytes};
  for (int d = 0; d < s.dimensions; ++d) s.extents[static_cast<std::size_t>(d)] = own.extent(d);
  if (rows_[a] >= 0) s.extents[0] = rows_[a];
  const auto* from = static_cast<const std::byte*>(data);
  if (device::is_device_memory(data)) {
    pin_frames();
    copy_box_from_device(s, address(p), from);
  } else {
    copy_box(s, address(p), from);
  }
  p.is_given = true;
  move_on();
  copied_s_ += seconds_now() - began;
}

output_slot output_state::slot(const std::string& name) {
  require_step("slot()");
  const std::size_t a = find(name);
  place& p = places_[a];
  if (p.in == nullptr || rows_[a] == 0) return {};
  p.is_given = true;
  if (!has_none(a)) return {address(p), p.strides_bytes};
  // Of a constant array behind the first step: as with put(), what is written there counts for nothing.
  const box& own = arrays_[a].own;
  ignored_.resize(arrays_.size());
  ignored_[a].resize(as_size(own.cells() * shape(a).element_bytes));
  return {ignored_[a].data(), packed_strides(extents_of(own), own.dimensions, shape(a).element_bytes)};
}

void output_state::end_step() {
  require_step("end_step()");
  for (std::size_t a = 0; a < places_.size(); ++a)
    if (!places_[a].is_given)
      throw usage_error(text("end_step() of ", path_, ": array ", arrays_[a].name, " was neither put nor asked for"));
  is_in_step_ = false;
  if (is_leader()) ring_.time_of(accepted_) = time_;
  if (store_.is_open()) store_.note_step(time_);
  ++accepted_;
  ring_.desk(member_).filled.store(accepted_, std::memory_order_release);
  ring_head& h = ring_.head();
  h.for_taker.ring();
  move_on();
  if (h.who.load() == taker::caller) {
    const double began = seconds_now();
    drain_as_caller();
    note_wait(began);
  }
}

// The first rank of the group writes what all have filled, the others wait for it. What goes wrong is told by the next begin_step().
void output_state::drain_as_caller() {
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
  if (!ring_.has_failed() && ring_.is_full(step)) agent_->take_next();
}

void output_state::wait_until_durable() {
  ring_head& h = ring_.head();
  if (is_leader() && h.who.load() == taker::caller) agent_->rest();
  wait([&] { return ring_.has_failed() || h.durable.load(std::memory_order_acquire) >= accepted_; });
  throw_failure();
}

void output_state::flush() {
  try {
    agree(members_, [&] {
      require_open("flush()");
      if (is_in_step_) throw usage_error(text("flush() of the stream ", path_, " within a step"));
      wait_until_durable();
    });
    agree(members_, [&] {
      if (store_.is_open()) store_.settle(plan_);
    });
  } catch (const io_error&) {
    was_told_ = true;
    throw;
  }
}

// Where the node has no writer to spare, a thread writes.
void output_state::set_taker(taker who) {
  if (!is_leader()) return;
  ring_.head().who = who == taker::process && !has_writer_ ? taker::thread : who;
  ring_.head().for_taker.ring();
}

// The ring is drained where another one is to take from it, so that no two takers meet.
void output_state::follow_trial() {
  const writing_way before = trial_.now();
  const double mine = trial_.seconds();
  double slowest = 0;
  watched_mpi("MPI_Allreduce", [&] { return MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, members_.comm()); });
  trial_.next(slowest);
  const writing_way& now = trial_.now();
  if (now.who == before.who && now.writers == before.writers) return;
  agree(members_, [&] { wait_until_durable(); });
  wanted_writers_ = now.writers;
  set_taker(now.who);
  watched_mpi("MPI_Barrier", [&] { return MPI_Barrier(members_.comm()); });
}

std::string output_state::describe() const {
  const ring_head& h = ring_.head();
  const auto written = h.written.load();
  const std::uint64_t before = earlier_.steps;
  const double rate = bytes_per_s(), count = static_cast<double>(std::max<std::uint64_t>(before + accepted_, 1));
  std::string words = text("output to ", path_, ": ", name_of(h.who.load()));
  words += trial_.is_on() || options_.policy == output_policy::automatic ? text(" (", trial_.describe(), ")")
                                                                         : std::string(" (asked for)");
  words += text("; ", plan_.writers, plan_.writers == 1 ? " writer" : " writers", ", ", depth_, " frames of ",
                readable_bytes(plan_.layout.frame_bytes), h.is_direct != 0 ? ", direct" : ", through the page cache",
                describe_pinning());
  words += text("; ", before + accepted_, " steps accepted, ", before + written, " written; per step ",
                readable_time(waited_s_ / count), " waiting (longest ", readable_time(longest_wait_s_), "), ",
                readable_time(copied_s_ / count), " copying");
  if (rate > 0) words += text("; ", readable_bytes(static_cast<index_t>(rate)), "/s while writing");
  if (sender_)
    words +=
        text("; to a writer on another node, sent ", sender_->has_thread() ? "by a thread" : "in the program's calls");
  return words;
}

}  // namespace nearfar
