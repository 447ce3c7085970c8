// SPDX-License-Identifier: BSD-3-Clause
// The threads of a rank, as OpenMP has them. All communication is the calling thread's.
#pragma once

#include <omp.h>

#include <cstdint>

namespace adaptive_heat {

class thread_team {
 public:
  explicit thread_team(int threads = 1) noexcept : threads_(threads) {}
  int threads() const noexcept { return threads_; }

  /// Calls work(n) for n = 0 … threads() - 1, each on a thread of its own where there are as many. It must not throw.
  template <class Work>
  void run(Work&& work) const {
    if (threads_ == 1) return work(0);
#pragma omp parallel num_threads(threads_)
    for (int n = omp_get_thread_num(); n < threads_; n += omp_get_num_threads()) work(n);
  }

  /// Where the part of thread n begins among `count` things; the part of the last one ends at begin_of(threads(),
  /// count).
  std::int64_t begin_of(int n, std::int64_t count) const noexcept { return count * n / threads_; }

  /// Calls work(first, last) for each thread's part of first … last - 1.
  template <class Work>
  void share(std::int64_t first, std::int64_t last, Work&& work) const {
    if (first == last) return;
    run([&](int n) { work(first + begin_of(n, last - first), first + begin_of(n + 1, last - first)); });
  }

 private:
  int threads_;
};

}  // namespace adaptive_heat
