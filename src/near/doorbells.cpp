// SPDX-License-Identifier: BSD-3-Clause
// Futexes under the doorbells, and the memory that holds them.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <base/internals.hpp>

#include <algorithm>
#include <base/env.hpp>
#include <cerrno>
#include <ctime>
#include <near/doorbells.hpp>
#include <topology/agree.hpp>
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
  team_state& s = state_of(members);
  arena& memory = arena::of(members);
  handle found;
  std::int64_t nap_us = 0;
  agree(members, [&] {
    nap_us = env::integer_or("NEARFAR_NAP_US", usual_nap_us, 0, most_nap_us);
    if (s.near_rank != 0 || s.near_size == 1 || nap_us == 0 || !s.is_short_of_cores || !memory.is_shared()) return;
    block_ = memory.allocate(as_index(s.near_size) * as_index(sizeof(doorbell)));
    found = memory.find(block_.data(), 1);
  });
  watched_mpi("MPI_Bcast", [&] { return MPI_Bcast(&found, sizeof(found), MPI_BYTE, 0, s.node_comm); });
  agree(members, [&] {
    if (!found.is_valid()) return;
    if (s.near_rank != 0) mapped_ = memory.attach(found);
    doorbells_ = reinterpret_cast<doorbell*>(s.near_rank == 0 ? block_.data() : mapped_.at(found));
    own_ = doorbells_ + s.near_rank;
    longest_nap_us_ = nap_us;
  });
  near_size_ = s.near_size;
}

doorbells::~doorbells() {
  if (doorbells_ == nullptr) return;
  own_->has_left.store(1, std::memory_order_release);
  if (!block_) return;
  arena::retire(std::move(block_), [doorbells = doorbells_, size = near_size_] {
    return std::all_of(doorbells, doorbells + size,
                       [](const doorbell& b) { return b.has_left.load(std::memory_order_acquire) != 0; });
  });
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
