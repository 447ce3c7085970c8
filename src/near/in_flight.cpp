// SPDX-License-Identifier: BSD-3-Clause
// One list for the process, under a lock that is held for moments.
#include <atomic>
#include <base/spin_lock.hpp>
#include <mutex>
#include <near/in_flight.hpp>
#include <vector>

namespace nearfar::near {

namespace {

struct in_flight_list {
  spin_lock lock;
  std::atomic<int> count = 0;
  std::vector<in_flight*> all;
};

in_flight_list& list() {
  static in_flight_list l;
  return l;
}

}  // namespace

void in_flight::begin() {
  const std::scoped_lock held(list().lock);
  list().all.push_back(this);
  list().count.fetch_add(1, std::memory_order_relaxed);
}

void in_flight::end() noexcept {
  const std::scoped_lock held(list().lock);
  list().count.fetch_sub(static_cast<int>(std::erase(list().all, this)), std::memory_order_relaxed);
}

void move_on_in_flight() {
  in_flight_list& l = list();
  if (l.count.load(std::memory_order_relaxed) == 0) return;
  const std::unique_lock held(l.lock, std::try_to_lock);
  if (!held) return;
  for (in_flight* each : l.all) each->move_on();
}

}  // namespace nearfar::near
