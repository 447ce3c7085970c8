// SPDX-License-Identifier: BSD-3-Clause
// Fills frames from messages, and sends receipts.
#include "receiver.hpp"

#include <unistd.h>

#include <base/bytes.hpp>
#include <base/clock.hpp>
#include <cstring>
#include <topology/team_state.hpp>

namespace nearfar::output {

namespace {

constexpr double seconds_between_signs_of_life = 0.25;

}  // namespace

receiver::receiver(MPI_Comm comm, int source, const std::vector<std::byte>& announced, near::arena& memory)
    : comm_(comm), source_(source) {
  byte_reader from(announced);
  const auto a = from.get<announcement>();
  tags_ = channel_tags(a.channel);
  plan_ = writer_plan::from_bytes(from.get_list<std::byte>());
  try {
    memory_ = memory.allocate(ring::bytes(1, a.depth, a.frame_bytes));
    const ring made(memory_.data(), 1, a.depth, a.frame_bytes);
    made.touch();
    made.head().who = taker::process;
    made.member_state(0).process = getpid();
    step_writer_.emplace(plan_, made);
    ring_ = made;  // from here on nothing fails
    thread_ = quiet_thread([](void* self) { static_cast<receiver*>(self)->run(); }, this);
  } catch (const std::exception& e) {
    refusal_ = e.what();
  }
  listen();
}

receiver::~receiver() {
  end_writing();
  if (thread_.joinable()) thread_.join();
}

void receiver::run() noexcept {
  step_writer_->serve(taker::process);
  step_writer_->rest();
  has_written_ = true;
}

void receiver::listen() {
  heard_.resize(sizeof words_ + as_size(plan_.layout.table_bytes));
  check_mpi(
      MPI_Irecv(heard_.data(), static_cast<int>(heard_.size()), MPI_BYTE, source_, tags_.dispatch, comm_, &listening_),
      "MPI_Irecv");
}

bool receiver::move_on() {
  // The reply that says so may have to wait for the one before.
  if (told_.has_ended != 0) return !is_finished(replying_);
  if (is_arriving_) take_pieces();
  if (!is_arriving_ && !is_over_) take_dispatches();
  if (is_over_ && (!ring_.is_set() || has_written_)) is_ended_ = true;
  return reply() || is_arriving_;
}

// One step after the other: that the next one waits for its memory does not matter, since its sender does not wait for
// it.
void receiver::take_dispatches() {
  if (!is_finished(listening_)) return;
  std::memcpy(&words_, heard_.data(), sizeof words_);
  if (words_.end != ending::no) {
    is_over_ = true;
    return end_writing();
  }
  post_pieces();
}

void receiver::post_pieces() {
  ring_head& h = ring_.head();
  if (words_.step > ring_.member_state(0).filled.load()) {
    // Others have written the steps between, and nothing is under way here.
    h.durable = words_.step, h.written = words_.step;
    ring_.member_state(0).filled = words_.step;
  }
  std::copy(heard_.begin() + sizeof words_, heard_.end(), ring_.frame(words_.step));
  pieces_ = pieces_of(plan_, ring_, words_.step);
  arriving_.assign(pieces_.size(), MPI_REQUEST_NULL);
  for (std::size_t p = 0; p < pieces_.size(); ++p)
    check_mpi(MPI_Irecv(pieces_[p].at, pieces_[p].bytes, MPI_BYTE, source_, tags_.data, comm_, &arriving_[p]),
              "MPI_Irecv");
  is_arriving_ = true;
}

void receiver::take_pieces() {
  int is_done = 0;
  check_mpi(MPI_Testall(static_cast<int>(arriving_.size()), arriving_.data(), &is_done, MPI_STATUSES_IGNORE),
            "MPI_Testall");
  if (is_done == 0) return;
  is_arriving_ = false;
  if (plan_.is_summed && crc_of(pieces_) != words_.crc)
    ring_.fail(words_.step, text("step ", plan_.first_step + static_cast<index_t>(words_.step), " of ", plan_.journal,
                                 " is not the same behind the network (CRC-32C)"));
  ring_.time_of(words_.step) = words_.time;
  ring_.member_state(0).filled.store(words_.step + 1, std::memory_order_release);
  ring_.head().for_taker.ring();
  listen();
}

// The writer writes what is whole, makes it durable and ends.
void receiver::end_writing() {
  if (!ring_.is_set()) return;
  ring_.member_state(0).has_closed = 1;
  ring_.head().end = ending::finish;
  ring_.head().for_taker.ring();
}

receipt receiver::state() const {
  receipt r;
  r.has_ended = is_ended_ ? 1 : 0;
  if (!ring_.is_set()) {
    r.has_failed = 1;
    std::strncpy(r.message, refusal_.c_str(), sizeof r.message - 1);
    return r;
  }
  const ring_head& h = ring_.head();
  r.has_failed = ring_.has_failed() ? 1 : 0;
  r.durable = h.durable.load(std::memory_order_acquire), r.written = h.written.load(std::memory_order_acquire);
  r.progress = h.progress.load(), r.busy_s = h.busy_s.load(),
  r.is_direct = static_cast<std::int32_t>(h.is_direct.load());
  if (r.has_failed != 0) std::memcpy(r.message, h.message, sizeof r.message);
  return r;
}

bool receiver::reply() {
  if (!is_finished(replying_)) return true;
  const receipt now = state();
  const double time = seconds_now();
  if (has_replied_ && now == told_) return false;
  // Blocks that are done are told now and then only, what has become of steps at once.
  receipt but_progress = now;
  but_progress.progress = told_.progress;
  if (has_replied_ && but_progress == told_ && time - replied_s_ < seconds_between_signs_of_life) return false;
  told_ = now, replied_s_ = time, has_replied_ = true;
  check_mpi(MPI_Isend(&told_, sizeof told_, MPI_BYTE, source_, tags_.receipt, comm_, &replying_), "MPI_Isend");
  return true;
}

}  // namespace nearfar::output
