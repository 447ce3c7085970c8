// SPDX-License-Identifier: BSD-3-Clause
// The call statistics: what became of the collective calls, by kind and size, for NEARFAR_REPORT.
#pragma once

#include <array>
#include <atomic>
#include <base/clock.hpp>
#include <collective/call.hpp>
#include <collective/engine.hpp>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace nearfar::interpose {

/// Bytes of one block of a call: the vector of a broadcast or reduction, one rank's part in the others, and what this
/// rank receives in the v and w variants. 0 for arguments that the MPI will refuse.
index_t block_bytes(const collective::call& c, int ranks);

/// Sums of one kind and size class.
struct account {
  std::int64_t calls = 0, accelerated = 0, bytes = 0;
  double seconds = 0;
  double saved_s = 0;             ///< estimated: calls times the gain in the races, where they know one
  std::int64_t unknown_gain = 0;  ///< calls carried out by a method that was never measured beside the MPI's own
  std::map<std::string, std::int64_t> methods;  ///< calls by the name of what the engines had chosen
};

class call_statistics {
 public:
  bool is_open() const noexcept { return is_open_.load(std::memory_order_relaxed); }
  void open() noexcept {
    opened_at_ = seconds_now();
    is_open_.store(true, std::memory_order_relaxed);
  }
  double seconds_open() const noexcept { return seconds_now() - opened_at_; }
  void close() noexcept { is_open_.store(false, std::memory_order_relaxed); }

  void enter(collective::kind what, index_t bytes, double seconds, bool is_accelerated) noexcept;

  /// Takes over what an engine knows before it goes: names of what was chosen, and gains.
  void enter(const collective::engine& e);

  using table = std::map<std::pair<collective::kind, std::size_t>, account>;  ///< by kind and size class
  table accounts() const;

 private:
  struct cell {
    std::atomic<std::int64_t> calls, accelerated, bytes, nanoseconds;
  };
  std::array<std::array<cell, collective::size_classes>, collective::kinds> cells_{};
  table from_engines_;
  mutable std::mutex mutex_;
  std::atomic<bool> is_open_ = false;
  double opened_at_ = 0;
};

/// The one of this process.
call_statistics& statistics() noexcept;

/// Takes the time of a call.
class timed_call {
 public:
  timed_call(const collective::call& c, int ranks)
      : what_(c.what), bytes_(block_bytes(c, ranks)), since_(seconds_now()) {}
  void enter(bool is_accelerated) const noexcept {
    statistics().enter(what_, bytes_, seconds_now() - since_, is_accelerated);
  }

 private:
  collective::kind what_;
  index_t bytes_;
  double since_;
};

}  // namespace nearfar::interpose
