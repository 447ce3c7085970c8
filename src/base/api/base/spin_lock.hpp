// SPDX-License-Identifier: BSD-3-Clause
// A lock for short, rarely contended sections; for std::scoped_lock and std::unique_lock. A waiting thread yields,
// since the thread that holds the lock may have lost its processor.
#pragma once

#include <atomic>
#include <thread>

namespace nearfar {

class spin_lock {
 public:
  void lock() noexcept {
    while (!try_lock()) std::this_thread::yield();
  }
  bool try_lock() noexcept { return !is_held_.test_and_set(std::memory_order_acquire); }
  void unlock() noexcept { is_held_.clear(std::memory_order_release); }

 private:
  std::atomic_flag is_held_;
};

}  // namespace nearfar
