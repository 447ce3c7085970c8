// SPDX-License-Identifier: BSD-3-Clause
// Addresses in a ring, and the futexes under its doorbells.
#include "ring.hpp"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <base/process.hpp>
#include <climits>
#include <cstring>

#include "layout.hpp"

namespace nearfar::output {

namespace {

// Between processes, so not the private kind.
long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* limit) noexcept {
  return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, limit, nullptr, 0);
}

index_t head_bytes(int members, int depth) noexcept {
  const auto bytes = sizeof(ring_head) + as_size(members) * sizeof(ring_member) + as_size(depth) * sizeof(double);
  return (as_index(bytes) + page_bytes - 1) / page_bytes * page_bytes;
}

}  // namespace

// A sleeper counts itself before the kernel compares the word with what it saw before it looked; a ringer changes the
// word before it looks for sleepers. Both in one total order: either the ringer sees the sleeper, or the word has
// changed and the sleeper does not sleep.
void doorbell::ring() noexcept {
  count.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers.load(std::memory_order_seq_cst) > 0) futex(count, FUTEX_WAKE, INT_MAX, nullptr);
}

void doorbell::wake() noexcept { futex(count, FUTEX_WAKE, INT_MAX, nullptr); }

void doorbell::nap(std::uint32_t seen, double nap_s) noexcept {
  const auto whole = static_cast<time_t>(nap_s);
  const timespec limit{whole, static_cast<long>((nap_s - static_cast<double>(whole)) * 1e9)};
  sleepers.fetch_add(1, std::memory_order_seq_cst);
  futex(count, FUTEX_WAIT, seen, &limit);
  sleepers.fetch_sub(1, std::memory_order_seq_cst);
}

index_t ring::bytes(int members, int depth, index_t frame_bytes) noexcept {
  return head_bytes(members, depth) + depth * frame_bytes;
}

// Kernels before 5.14 do not know the advice: pages are then entered as they are touched.
void ring::touch() const noexcept {
#ifdef MADV_POPULATE_WRITE
  constexpr int enter_all = MADV_POPULATE_WRITE;
#else
  constexpr int enter_all = 23;
#endif
  const auto address = reinterpret_cast<std::uintptr_t>(base_), first = address / page_bytes * page_bytes;
  const std::size_t bytes = as_size(ring::bytes(members_, depth_, frame_bytes_)) + (address - first);
  madvise(reinterpret_cast<void*>(first), bytes, enter_all);
}

ring_member& ring::member_state(int member) const noexcept {
  return reinterpret_cast<ring_member*>(base_ + sizeof(ring_head))[member];
}

double& ring::time_of(std::uint64_t step) const noexcept {
  auto* times = reinterpret_cast<double*>(base_ + sizeof(ring_head) + as_size(members_) * sizeof(ring_member));
  return times[step % static_cast<std::uint64_t>(depth_)];
}

std::byte* ring::frame(std::uint64_t step) const noexcept {
  const auto slot = static_cast<index_t>(step % static_cast<std::uint64_t>(depth_));
  return base_ + head_bytes(members_, depth_) + slot * frame_bytes_;
}

bool ring::is_full(std::uint64_t step) const noexcept {
  for (int m = 0; m < members_; ++m)
    if (member_state(m).filled.load(std::memory_order_acquire) <= step) return false;
  return true;
}

bool ring::is_hopeless(std::uint64_t step) const noexcept {
  for (int m = 0; m < members_; ++m)
    if (member_state(m).has_closed.load(std::memory_order_acquire) != 0 && member_state(m).filled.load() <= step)
      return true;
  return false;
}

void ring::fail(std::uint64_t step, const std::string& message) const noexcept {
  ring_head& h = head();
  h.failed_step = static_cast<std::int64_t>(step);
  const std::size_t length = std::min(message.size(), sizeof h.message - 1);
  std::memcpy(h.message, message.data(), length);
  h.message[length] = '\0';
  h.has_failed.store(1, std::memory_order_release);
  h.for_members.ring();
}

bool is_alive(int process) noexcept { return process <= 0 || is_process_alive(process); }

}  // namespace nearfar::output
