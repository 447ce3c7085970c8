// SPDX-License-Identifier: BSD-3-Clause
// One list for the process, under a lock that is held briefly, and a thread that progresses it while other threads are
// inside MPI.
//
// The thread sleeps until one of them registers (waiting_ from 0 to 1), and then progresses and yields in turn until
// none is left. It is made at the first registration, and lives as long as the process.
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <atomic>
#include <base/in_flight.hpp>
#include <base/log.hpp>
#include <base/spin_lock.hpp>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace nearfar {

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

thread_local bool is_helper = false;

class helper {
 public:
  /// Lives as long as the process: its thread may run while everything else is being taken down.
  static helper& get() {
    static helper* const one = new helper;  // NOLINT
    return *one;
  }

  void tell() {
    const std::scoped_lock held(mutex_);
    if (!is_made_) make();
    ++waiting_;
    told_.notify_one();
  }
  void tell_over() noexcept {
    const std::scoped_lock held(mutex_);
    --waiting_;
  }

 private:
  // Signals are the program's own threads' business.
  void make() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([this] { run(); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    is_made_ = true;
  }
  void run() {
    is_helper = true;
    for (;;) {
      std::unique_lock held(mutex_);
      told_.wait(held, [this] { return waiting_ > 0; });
      held.unlock();
      move_on_in_flight();
      sched_yield();
    }
  }

  std::mutex mutex_;
  std::condition_variable told_;
  int waiting_ = 0;
  bool is_made_ = false;
};

}  // namespace

void in_flight::begin() {
  const std::scoped_lock held(list().lock);
  has_failed_.store(false, std::memory_order_relaxed);
  list().all.push_back(this);
  list().count.fetch_add(1, std::memory_order_relaxed);
}

void in_flight::end() noexcept {
  const std::scoped_lock held(list().lock);
  list().count.fetch_sub(static_cast<int>(std::erase(list().all, this)), std::memory_order_relaxed);
}

// The release pairs with the acquire in throw_failure().
void in_flight::move_on_for_others() noexcept {
  if (has_failed_.load(std::memory_order_relaxed)) return;
  try {
    move_on();
  } catch (...) {
    failure_ = std::current_exception();
    has_failed_.store(true, std::memory_order_release);
  }
}

void in_flight::throw_failure() {
  if (!has_failed_.load(std::memory_order_acquire)) return;
  const std::scoped_lock held(list().lock);
  const std::exception_ptr failure = std::exchange(failure_, nullptr);
  has_failed_.store(false, std::memory_order_relaxed);
  std::rethrow_exception(failure);
}

bool in_flight::is_beside_mpi() noexcept { return is_helper; }

void move_on_in_flight() {
  in_flight_list& l = list();
  if (l.count.load(std::memory_order_relaxed) == 0) return;
  const std::unique_lock held(l.lock, std::try_to_lock);
  if (!held) return;
  for (in_flight* each : l.all) each->move_on_for_others();
}

wait_inside_mpi::wait_inside_mpi() noexcept {
  if (is_helper || list().count.load(std::memory_order_relaxed) == 0) return;
  try {
    helper::get().tell();
    is_told_ = true;
  } catch (const std::exception& e) {
    log::warning("no thread can be made to move on what is in flight: ", e.what());
  }
}

wait_inside_mpi::~wait_inside_mpi() {
  if (is_told_) helper::get().tell_over();
}

}  // namespace nearfar
