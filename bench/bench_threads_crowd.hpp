// SPDX-License-Identifier: BSD-3-Clause
// One processor per rank, lent to the threads of one rank in turn: so plain MPI and mixed programs can be measured in
// one run.
#pragma once

#include <functional>
#include <memory>
#include <nearfar/nearfar.hpp>
#include <vector>

namespace bench {

enum class runtime_kind { openmp, plain };

/// The ranks of each node stand in groups of `threads`. The first of a group, its *host*, runs mixed programs with one
/// thread on the processor of each rank of the group, while the others sleep.
class crowd {
 public:
  /// Collective over MPI_COMM_WORLD. `threads` 0: a node is a group. @throws std::invalid_argument if groups do not
  /// come out even
  explicit crowd(int threads);
  ~crowd();
  crowd(const crowd&) = delete;
  crowd& operator=(const crowd&) = delete;

  int threads() const { return threads_; }
  bool is_host() const { return place_ == 0; }
  const nearfar::team& ranks() const { return ranks_; }   ///< all ranks, as a plain MPI program has them
  const nearfar::team& hosts() const { return *hosts_; }  ///< hosts only: the ranks of a mixed program
  nearfar::thread_team& all_threads() const { return *all_threads_; }

  /// Runs body(thread) on all threads of a host and returns the most seconds that it returned; other ranks sleep
  /// meanwhile and get 0. Collective over the group.
  double run_mixed(runtime_kind how, const std::function<double(int)>& body) const;

 private:
  void pin(int thread) const;
  void sleep_until_host_is_done() const;
  void wake_the_others() const;

  nearfar::team ranks_;
  int threads_ = 1, place_ = 0;  ///< place in the group
  std::unique_ptr<nearfar::team> hosts_;
  std::unique_ptr<nearfar::thread_team> all_threads_;
  MPI_Comm group_ = MPI_COMM_NULL;
  std::vector<int> processors_;
};

/// Starts the program again with settings that the OpenMP runtime reads before main(): threads without work must fall
/// asleep soon, or they take the processors of the ranks that are measured next.
void let_idle_threads_sleep(char** argv);

}  // namespace bench
