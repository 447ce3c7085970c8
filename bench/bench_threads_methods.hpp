// SPDX-License-Identifier: BSD-3-Clause
// The methods of summing one array per processor over all processors.
#pragma once

#include <memory>
#include <vector>

#include "bench_threads_crowd.hpp"
#include "harness/measure.hpp"

namespace bench {

/// Arrays and contenders for sums of `count` doubles. Every iteration writes new numbers into each array, sums, and
/// reads the result, which must be the sum of this iteration. With reused data, only each burst does so.
class thread_sums {
 public:
  thread_sums(const crowd& everyone, const options& how, long long count);
  ~thread_sums();
  subject what;
  std::vector<contender> contenders;

 private:
  struct arrays;
  using one_sum = std::function<const double*()>;  ///< sums once and says where the result is
  void add_plain(const char* name, const std::function<void()>& sum);
  /// `take_part` is what a thread does in a burst: it ends by handing its method of summing once to the function that
  /// it is given.
  void add_mixed(
      const char* name, runtime_kind how,
      const std::function<double(int thread, const std::function<double(const one_sum&)>& iterate)>& take_part);
  void add_plain_mpi();
  void add_openmp_by_hand();
  void add_nearfar();
  void read_part_of_all(int thread) const;
  void add_check(contender& c);
  double iterate(int thread, int times, int burst, const one_sum& sum);
  double* in(int thread) const;
  double* out(int thread) const;

  const crowd& everyone_;
  options how_;
  long long count_;
  std::unique_ptr<arrays> data_;
};

}  // namespace bench
