// SPDX-License-Identifier: BSD-3-Clause
// Two flags in shared memory, a cache line each.
#include "hop.hpp"

#include <atomic>
#include <memory>
#include <new>

namespace bench {

namespace {

struct alignas(64) flag {
  std::atomic<int> value{0};
};

/// Memory that all ranks share, freed with the last contender that uses it.
class flags {
 public:
  explicit flags(MPI_Comm comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Win_allocate_shared(rank_ == 0 ? 3 * sizeof(flag) : 0, 1, MPI_INFO_NULL, comm, &at_, &window_);
    MPI_Aint bytes = 0;
    int unit = 0;
    MPI_Win_shared_query(window_, 0, &bytes, &unit, &at_);
    if (rank_ == 0)
      for (int i = 0; i < 2; ++i) new (line(i)) flag;
    MPI_Barrier(comm);
  }
  ~flags() { MPI_Win_free(&window_); }
  flags(const flags&) = delete;
  flags& operator=(const flags&) = delete;

  /// `round_trips` of a number that goes up.
  void pass(int round_trips) {
    if (rank_ > 1) return;
    std::atomic<int>&mine = line(rank_)->value, &other = line(1 - rank_)->value;
    for (const int last = passed_ + round_trips; passed_ < last;) {
      ++passed_;
      if (rank_ == 0) mine.store(passed_, std::memory_order_release);
      while (other.load(std::memory_order_acquire) != passed_) {
      }
      if (rank_ == 1) mine.store(passed_, std::memory_order_release);
    }
  }

 private:
  flag* line(int i) const {
    const auto begin = (reinterpret_cast<std::uintptr_t>(at_) + sizeof(flag) - 1) / sizeof(flag);
    return reinterpret_cast<flag*>((begin + static_cast<std::uintptr_t>(i)) * sizeof(flag));
  }
  MPI_Win window_ = MPI_WIN_NULL;
  void* at_ = nullptr;
  int rank_ = 0, passed_ = 0;
};

}  // namespace

contender make_hop(MPI_Comm comm) {
  const auto shared = std::make_shared<flags>(comm);
  contender c;
  c.name = "hop";
  c.burst = [shared](int n) {
    constexpr int hops_per_trip = 2;
    const double begin = now_s();
    shared->pass(n);
    return (now_s() - begin) / hops_per_trip;
  };
  c.check = [] { return true; };
  return c;
}

}  // namespace bench
