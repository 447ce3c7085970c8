// SPDX-License-Identifier: BSD-3-Clause
// One list for the process, under a flag that is held for moments.
#include <atomic>
#include <mutex>
#include <near/in_flight.hpp>
#include <vector>

namespace nearfar::near {

namespace {

struct in_flight_list {
  std::atomic_flag is_held;
  std::atomic<int> count = 0;
  std::vector<in_flight*> all;
};

in_flight_list& list() {
  static in_flight_list l;
  return l;
}

class holding {
 public:
  explicit holding(in_flight_list& l) : list_(l) {
    while (list_.is_held.test_and_set(std::memory_order_acquire)) {
    }
  }
  holding(in_flight_list& l, std::adopt_lock_t) : list_(l) {}
  ~holding() { list_.is_held.clear(std::memory_order_release); }
  holding(const holding&) = delete;
  holding& operator=(const holding&) = delete;

 private:
  in_flight_list& list_;
};

}  // namespace

void in_flight::begin() {
  const holding h(list());
  list().all.push_back(this);
  list().count.fetch_add(1, std::memory_order_relaxed);
}

void in_flight::end() noexcept {
  const holding h(list());
  list().count.fetch_sub(static_cast<int>(std::erase(list().all, this)), std::memory_order_relaxed);
}

void move_on_in_flight() {
  in_flight_list& l = list();
  if (l.count.load(std::memory_order_relaxed) == 0 || l.is_held.test_and_set(std::memory_order_acquire)) return;
  const holding h(l, std::adopt_lock);
  for (in_flight* each : l.all) each->move_on();
}

}  // namespace nearfar::near
