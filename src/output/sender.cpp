// SPDX-License-Identifier: BSD-3-Clause
// Announcements, dispatches with data, and receipts.
#include "sender.hpp"

#include <algorithm>
#include <base/bytes.hpp>
#include <base/clock.hpp>
#include <chrono>
#include <cstring>
#include <topology/team_state.hpp>

namespace nearfar::output {

namespace {

constexpr double busy_nap_s = 1e-4, idle_nap_s = 2e-3;

}  // namespace

sender::sender(MPI_Comm comm, int writer, int channel, writer_plan plan, const ring& from)
    : comm_(comm), writer_(writer), tags_(channel), plan_(std::move(plan)), ring_(from) {
  byte_writer to;
  to.put(announcement{channel, ring_.depth(), plan_.layout.frame_bytes});
  to.put_list(plan_.to_bytes());
  announcement_ = to.take();
  check_mpi(MPI_Isend(announcement_.data(), static_cast<int>(announcement_.size()), MPI_BYTE, writer_, announce_tag,
                      comm_, &announcing_),
            "MPI_Isend");
  listen();
  owner_ = std::this_thread::get_id();
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  is_thread_allowed_ = level == MPI_THREAD_MULTIPLE;
  begin();
  if (is_thread_allowed_) thread_ = quiet_thread([](void* self) { static_cast<sender*>(self)->run(); }, this);
}

sender::~sender() {
  is_stopping_ = true;
  if (thread_.joinable()) ring_.head().for_taker.ring(), thread_.join();
  in_flight::end();
}

bool sender::is_here_allowed() const noexcept { return is_thread_allowed_ || std::this_thread::get_id() == owner_; }

void sender::run() {
  while (!is_stopping_) {
    const double nap_s = is_busy() ? busy_nap_s : idle_nap_s, until = seconds_now() + nap_s;
    ring_.head().for_taker.wait(
        nap_s, [&] { return is_stopping_ || seconds_now() >= until; }, [] {});
    move_on();
  }
}

bool sender::is_busy() {
  const std::scoped_lock held(mutex_);
  return !transfers_.empty();
}

void sender::move_on() {
  if (!is_here_allowed()) return;
  const std::unique_lock held(mutex_, std::try_to_lock);
  if (!held || is_ended_) return;
  // Whoever moves it on: the stream's own calls on all ranks tell of it.
  try {
    do_work();
  } catch (const std::exception& e) {
    if (!ring_.has_failed()) ring_.fail(ring_.head().written.load(), e.what());
    ring_.head().for_members.ring();
  }
}

void sender::do_work() {
  take_receipts();
  finish_transfers();
  begin_transfers();
}

void sender::listen() {
  check_mpi(MPI_Irecv(&heard_, sizeof heard_, MPI_BYTE, writer_, tags_.receipt, comm_, &listening_), "MPI_Irecv");
}

void sender::take_receipts() {
  ring_head& h = ring_.head();
  while (!is_ended_ && is_finished(listening_)) {
    has_heard_ = true;
    // Before the first step of this way the writer knows of none.
    h.durable = std::max(h.durable.load(), heard_.durable);
    h.progress.fetch_add(1, std::memory_order_relaxed);
    h.is_direct = static_cast<std::uint32_t>(heard_.is_direct);
    if (heard_.busy_s > 0) h.busy_s = heard_.busy_s;
    h.written.store(std::max(h.written.load(), heard_.written), std::memory_order_release);
    if (heard_.has_failed != 0 && !ring_.has_failed()) ring_.fail(heard_.written, heard_.message);
    h.for_members.ring();
    is_ended_ = heard_.has_ended != 0;
    if (!is_ended_) listen();
  }
}

void sender::finish_transfers() {
  ring_head& h = ring_.head();
  while (!transfers_.empty()) {
    transfer& first = transfers_.front();
    int is_done = 0;
    check_mpi(
        MPI_Testall(static_cast<int>(first.requests.size()), first.requests.data(), &is_done, MPI_STATUSES_IGNORE),
        "MPI_Testall");
    if (is_done == 0) return;
    h.released.store(first.step + 1, std::memory_order_release);
    h.progress.fetch_add(1, std::memory_order_relaxed);
    h.for_members.ring();
    transfers_.pop_front();
  }
}

// Never more than the writer has frames for, so that every message finds its memory posted soon.
void sender::begin_transfers() {
  const ring_head& h = ring_.head();
  if (!has_heard_ || h.who.load() != taker::process || ring_.has_failed()) return;
  next_ = std::max(next_, h.written.load());
  while (ring_.is_full(next_) && next_ < h.written.load() + static_cast<std::uint64_t>(ring_.depth())) {
    transfer& j = transfers_.emplace_back();
    const auto pieces = pieces_of(plan_, ring_, next_);
    j.step = next_;
    const dispatch words{next_, ring_.time_of(next_), plan_.is_summed ? crc_of(pieces) : 0, ending::no};
    const auto* begin = reinterpret_cast<const std::byte*>(&words);
    j.words.assign(begin, begin + sizeof words);
    j.words.insert(j.words.end(), ring_.frame(next_), ring_.frame(next_) + plan_.layout.table_bytes);
    j.requests.resize(pieces.size() + 1, MPI_REQUEST_NULL);
    check_mpi(MPI_Isend(j.words.data(), static_cast<int>(j.words.size()), MPI_BYTE, writer_, tags_.dispatch, comm_,
                        &j.requests.back()),
              "MPI_Isend");
    for (std::size_t p = 0; p < pieces.size(); ++p)
      check_mpi(MPI_Isend(pieces[p].at, pieces[p].bytes, MPI_BYTE, writer_, tags_.data, comm_, &j.requests[p]),
                "MPI_Isend");
    ++next_;
  }
}

bool sender::end(ending how, double until) {
  is_stopping_ = true;
  if (thread_.joinable()) ring_.head().for_taker.ring(), thread_.join();
  in_flight::end();
  if (!is_mpi_usable() || !is_here_allowed()) return false;
  bool is_told = false;
  for (;;) {
    if (!is_ended_) do_work();
    if (!is_told) {
      last_ = {next_, 0, 0, how};
      check_mpi(MPI_Isend(&last_, sizeof last_, MPI_BYTE, writer_, tags_.dispatch, comm_, &ending_), "MPI_Isend");
      is_told = true;
    }
    finish_transfers();
    if (is_ended_ && transfers_.empty() && is_finished(announcing_) && is_finished(ending_)) return true;
    if (seconds_now() > until) return false;
    std::this_thread::sleep_for(std::chrono::duration<double>(busy_nap_s));
  }
}

}  // namespace nearfar::output
