// SPDX-License-Identifier: BSD-3-Clause
// Posts and answers in cache lines, barriers, and the propagation of errors between threads.
#include "thread_group.hpp"

#include <utility>

namespace nearfar::threads {
namespace {

constexpr int quick_polls_with_cores_to_spare = 200;

}  // namespace

thread_group::thread_group(thread_group_setting how) : how_(std::move(how)) {
  if (how_.threads < 1) throw usage_error(text(how_.name, ": ", how_.threads, " threads; there must be at least one"));
  if (how_.lines == nullptr) how_.lines = &near::word_lines();
  if (how_.others.spins > 0) quick_polls_ = quick_polls_with_cores_to_spare;
  seats_ = std::make_unique<seat[]>(as_size(how_.threads));
}

void thread_group::write(near::line* to, int me, const void* data, index_t bytes) noexcept {
  constexpr std::uint64_t nothing = 0;
  if (bytes == 0) data = &nothing, bytes = sizeof nothing;
  how_.lines->write(to, static_cast<const std::byte*>(data), bytes, seat_of(me).epoch);
}

void thread_group::read(const near::line* from, int me, int whom, void* to, index_t bytes) {
  std::uint64_t nothing = 0;
  if (bytes == 0) to = &nothing, bytes = sizeof nothing;
  const index_t count = near::lines_for(bytes);
  index_t next = 0;
  wait(me, whom, [&] {
    next = how_.lines->read(from, static_cast<std::byte*>(to), bytes, seat_of(me).epoch, next);
    return next == count;
  });
}

void thread_group::meet(int me) {
  if (!is_flat()) return meet_around(me, [] {});
  arrive(me);
  for (int other = 0; other < how_.threads; ++other)
    if (other != me) await(me, other);
}

void thread_group::complain(int me, status kind, const std::string& words) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t call = seat_of(me).call;
  if (complained_.load(std::memory_order_relaxed) >= call) return;  // the first error of a call is the one that is told
  kind_ = kind;
  text_ = words;
  complained_.store(call, std::memory_order_release);
}

void thread_group::abandon(int me) noexcept {
  const std::lock_guard lock(mutex_);
  if (complained_.load(std::memory_order_relaxed) == for_ever) return;
  kind_ = status::transport;
  text_ = text(how_.name, ": ", name_of(me), " has left by an exception or gave up; the team cannot be used any more");
  complained_.store(for_ever, std::memory_order_release);
}

void thread_group::require_all_here() const {
  if (complained_.load(std::memory_order_acquire) == for_ever) throw_complaint();
}

void thread_group::look_for_complaints(int me, int whom) {
  if (complained_.load(std::memory_order_acquire) >= seat_of(me).call) throw_complaint();
  const std::uint64_t mine = seat_of(me).epoch, theirs = seat_of(whom).sequence.load(std::memory_order_relaxed);
  if (theirs == mine || theirs >> bits_of_mark != mine >> bits_of_mark) return;
  throw usage_error(text(how_.name, ": ", name_of(me), " and thread ", whom,
                         " make different calls: what is called, count, type, operation and root must be the same"));
}

void thread_group::throw_complaint() const {
  const std::lock_guard lock(mutex_);
  switch (kind_) {
    case status::usage:
      throw usage_error(text_);
    case status::resource:
      throw resource_error(text_);
    default:
      throw transport_error(text_);
  }
}

std::string thread_group::name_of(int thread) const { return text("thread ", thread, " of rank ", how_.others.rank); }

}  // namespace nearfar::threads
