// SPDX-License-Identifier: BSD-3-Clause
// The futexes of the doorbells, and their memory.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <base/internals.hpp>

#include <base/env.hpp>
#include <cerrno>
#include <ctime>
#include <near/doorbells.hpp>
#include <topology/team_state.hpp>

namespace nearfar::near {

namespace {

// Nobody sleeps unless asked: on some machines sleeping gains up to a third over yielding, on others it costs as much
// and more (figures: bench/report.py --show notes-transpose).
constexpr std::int64_t usual_nap_us = 0;

/// 0, or errno.
int futex(std::atomic<std::uint32_t>& word, int what, std::uint32_t value, const timespec* limit) noexcept {
  return syscall(SYS_futex, &word, what, value, limit, nullptr, 0) >= 0 ? 0 : errno;
}

}  // namespace

const doorbells& doorbells::of(const team& members) {
  return state_of(members).attachment<doorbells>([&] { return new doorbells(members); });
}

const doorbells& doorbells::none() {
  static const doorbells nobody_sleeps;
  return nobody_sleeps;
}

doorbells::doorbells(const team& members) {
  const team_state& s = state_of(members);
  const bool is_shared = arena::of(members).is_shared();
  std::int64_t nap_us = 0;
  segment_.make(members, [&] {
    nap_us = env::integer_or("NEARFAR_NAP_US", usual_nap_us, 0, most_nap_us);
    if (s.near_rank != 0 || s.near_size == 1 || nap_us == 0 || !s.is_short_of_cores || !is_shared) return index_t{0};
    return s.near_size * index_t{sizeof(doorbell)};
  });
  if (segment_.of(0) == nullptr) return;
  doorbells_ = reinterpret_cast<doorbell*>(segment_.of(0));
  own_ = doorbells_ + s.near_rank;
  longest_nap_us_ = nap_us;
}

void doorbells::wake(doorbell& of) noexcept {
  // What was published is seen by a rank that lies down after this looks: full order between that store and this load.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (of.is_asleep.load(std::memory_order_relaxed) == 0) return;
  of.is_asleep.store(0, std::memory_order_relaxed);
  futex(of.is_asleep, FUTEX_WAKE, 1, nullptr);
}

doorbells::nap doorbells::sleep() const noexcept {
  const timespec limit{longest_nap_us_ / 1'000'000, longest_nap_us_ % 1'000'000 * 1000};
  const bool is_over = futex(own_->is_asleep, FUTEX_WAIT, 1, &limit) == ETIMEDOUT;
  const bool was_rung = own_->is_asleep.load(std::memory_order_relaxed) == 0;
  stand_up();
  if (was_rung) return nap::rung;
  if (!is_over) return nap::disturbed;
  slept_out_.fetch_add(1, std::memory_order_relaxed);
  return nap::slept_out;
}

}  // namespace nearfar::near
