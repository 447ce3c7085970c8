// SPDX-License-Identifier: BSD-3-Clause
// The steps of a stream: waiting for a frame, filling it, handing it over.
#include <algorithm>
#include <base/clock.hpp>
#include <device/device.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "stream_state.hpp"

namespace nearfar {

using namespace output;

void output_state::require_open(const char* call) const {
  if (is_closed_) throw usage_error(text(call, " of the stream ", path_, ", which is closed"));
}

void output_state::require_step(const char* call) const {
  require_open(call);
  if (!is_in_step_) throw usage_error(text(call, " of the stream ", path_, " outside begin_step() … end_step()"));
}

void output_state::require_capacity() const {
  require_open("begin_step()");
  if (is_in_step_) throw usage_error(text("begin_step() of the stream ", path_, " within a step"));
  if (const index_t most = layout_.plan().files.most_steps; most > 0 && steps() >= most)
    throw usage_error(text("begin_step() of the stream ", path_, ", which has room for ", most,
                           " steps (output_options::expected_steps); 0 makes a file per step"));
}

void output_state::note_wait(double since) noexcept {
  const double waited = seconds_now() - since;
  waited_s_ += waited, longest_wait_s_ = std::max(longest_wait_s_, waited);
}

void output_state::await_step(const std::vector<index_t>& rows) {
  const double began = seconds_now();
  try {
    agree(members_, [&] {
      require_capacity();
      layout_.check_rows(rows);
      group_.wait_for_frame();
    });
    note_wait(began);
    if (tuner_.is_on() && tuner_.note_step(seconds_now())) follow_tuner();
  } catch (const io_error&) {
    was_told_ = true;
    throw;
  }
}

index_t output_state::begin_step(double time, const std::vector<index_t>& rows) {
  try {
    layout_.lay_out_step(steps(), time, rows, group_.is_leader() ? group_.frame() : nullptr);
  } catch (const io_error&) {
    was_told_ = true;
    throw;
  }
  is_in_step_ = true;
  time_ = time;
  return steps();
}

/// Copies into the frame, which is pinned for what comes from a GPU.
template <class Copy>
void output_state::copy(const void* data, Copy what) {
  require_step("put()");
  const double began = seconds_now();
  if (data != nullptr && device::is_device_memory(data)) pinning_.pin(layout_, group_.frames());
  what();
  group_.move_on();
  copied_s_ += seconds_now() - began;
}

void output_state::put(const std::string& name, const void* data) {
  copy(data, [&] { layout_.put(group_.frame(), name, data); });
}

void output_state::put(const std::string& name, const void* data,
                       const std::array<index_t, max_dimensions>& strides_bytes) {
  copy(data, [&] { layout_.put(group_.frame(), name, data, strides_bytes); });
}

output_slot output_state::slot(const std::string& name) {
  require_step("slot()");
  return layout_.slot(group_.frame(), name);
}

// What goes wrong in writing is told by the next begin_step().
void output_state::end_step() {
  require_step("end_step()");
  layout_.require_given();
  is_in_step_ = false;
  if (store_.is_open()) store_.note_step(time_);
  group_.hand_over(time_);
  if (!group_.is_written_by_caller()) return;
  const double began = seconds_now();
  group_.write_as_caller();
  note_wait(began);
}

void output_state::flush() {
  try {
    agree(members_, [&] {
      require_open("flush()");
      if (is_in_step_) throw usage_error(text("flush() of the stream ", path_, " within a step"));
      group_.wait_until_durable();
    });
    agree(members_, [&] {
      if (store_.is_open()) store_.settle(layout_.plan());
    });
  } catch (const io_error&) {
    was_told_ = true;
    throw;
  }
}

// The ring is drained where another one is to take from it, so that no two takers meet.
void output_state::follow_tuner() {
  const writing_method before = tuner_.now();
  const double mine = tuner_.seconds();
  double slowest = 0;
  watched_mpi("MPI_Allreduce", [&] { return MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, members_.comm()); });
  tuner_.next(slowest);
  const writing_method& now = tuner_.now();
  if (now.who == before.who && now.writers == before.writers) return;
  agree(members_, [&] { group_.wait_until_durable(); });
  wanted_writers_ = now.writers;
  group_.set_taker(now.who);
  watched_mpi("MPI_Barrier", [&] { return MPI_Barrier(members_.comm()); });
}

std::string output_state::describe() const {
  const std::uint64_t before = earlier_.steps, accepted = group_.accepted();
  const auto written = static_cast<std::uint64_t>(written_steps() - layout_.plan().first_step);
  const double count = static_cast<double>(std::max<std::uint64_t>(before + accepted, 1));
  const int writers = layout_.plan().writers;
  std::string words = text("output to ", path_, ": ", name_of(group_.frames().head().who.load()));
  words += tuner_.is_on() || options_.policy == output_policy::automatic ? text(" (", tuner_.describe(), ")")
                                                                         : std::string(" (asked for)");
  words += text("; ", writers, writers == 1 ? " writer" : " writers", ", ", group_.describe(), pinning_.describe());
  words += text("; ", before + accepted, " steps accepted, ", before + written, " written; per step ",
                readable_time(waited_s_ / count), " waiting (longest ", readable_time(longest_wait_s_), "), ",
                readable_time(copied_s_ / count), " copying");
  return words;
}

}  // namespace nearfar
