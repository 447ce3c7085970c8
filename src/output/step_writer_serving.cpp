// SPDX-License-Identifier: BSD-3-Clause
// When steps are written: one after the other by the caller, or by two threads, one of which begins steps while the
// other completes them.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "step_writer.hpp"

namespace nearfar::output {

namespace {

constexpr double look_every_s = 0.1;

}  // namespace

// Another may have taken the steps before.
std::uint64_t step_writer::next() const noexcept {
  return std::max(begun_.load(), ring_.head().written.load(std::memory_order_acquire));
}

bool step_writer::is_due(taker as) const noexcept {
  return ring_.head().who.load() == as && !ring_.has_failed() && ring_.is_full(next());
}

bool step_writer::is_over(taker as) const noexcept {
  const ending end = ring_.head().end.load();
  if (end == ending::no || is_due(as)) return false;
  return end == ending::abandon || ring_.has_failed() || ring_.is_hopeless(next());
}

// A step that a dead rank has not filled will never be full.
void step_writer::look_at_members() const noexcept {
  for (int m = 0; m < ring_.members(); ++m)
    if (!is_alive(ring_.member_state(m).process.load()) && ring_.member_state(m).has_closed.load() == 0)
      ring_.head().end = ending::abandon;
}

void step_writer::serve(taker as) noexcept {
  while (!is_over(as)) {
    if (is_due(as)) {
      begin_next();
      continue;
    }
    ring_.head().for_taker.wait(
        look_every_s, [&] { return is_due(as) || is_over(as); }, [&] { look_at_members(); });
  }
  std::unique_lock lock(mutex_);
  news_.wait(lock, [&] { return free_.size() == places_.size(); });
}

void step_writer::begin_next() noexcept {
  std::unique_lock lock(mutex_);
  news_.wait(lock, [&] { return !free_.empty(); });
  step_in_progress* s = free_.front();
  free_.pop_front();
  lock.unlock();
  begin(*s);
  lock.lock();
  in_progress_.push_back(s);
  lock.unlock();
  news_.notify_all();
}

void step_writer::complete_all() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    news_.wait(lock, [&] { return is_ending_ || !in_progress_.empty(); });
    if (in_progress_.empty()) return;
    step_in_progress* s = in_progress_.front();
    in_progress_.pop_front();
    lock.unlock();
    complete(*s);
    rest();
    lock.lock();
    free_.push_back(s);
    news_.notify_all();
  }
}

void step_writer::take_next() noexcept {
  step_in_progress& s = places_.front();
  begin(s);
  complete(s);
  rest();
}

void step_writer::rest() noexcept {
  ring_head& h = ring_.head();
  const std::uint64_t written = h.written.load(std::memory_order_relaxed);
  if (h.durable.load() == written || ring_.has_failed()) return;
  try {
    for (const step_in_progress& s : places_)
      if (s.files.make_last()) break;
    if (const int code = plan_.is_synced ? sync_data(journal_.get()) : 0; code != 0)
      refuse_file(plan_.journal, "synchronised", code);
  } catch (const std::exception& e) {
    return ring_.fail(written, words_about_step(plan_.first_step + static_cast<index_t>(written) - 1, e));
  }
  h.durable.store(written, std::memory_order_release);
  h.for_members.ring();
}

}  // namespace nearfar::output
