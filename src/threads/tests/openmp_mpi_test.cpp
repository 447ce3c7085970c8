// SPDX-License-Identifier: BSD-3-Clause
// Thread teams inside OpenMP parallel regions: reductions, data movement, errors, region after region.
#if defined(_OPENMP)
#include <omp.h>

#include <limits>
#include <optional>

#include "thread_crowd.hpp"

namespace nearfar {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2}, .node_sizes = {0, 1}}};

using test::findings;
using test::whole_numbers;

class thread_openmp : public test::MpiTest {
 protected:
  void SetUp() override {
    MpiTest::SetUp();
    omp_set_dynamic(0);
    members_.emplace(comm());
  }
  void TearDown() override {
    members_.reset();
    MpiTest::TearDown();
  }
  const team& members() const { return *members_; }

  /// A parallel region, each of its threads a member of `all`; what they throw becomes a finding.
  static void in_region(const thread_team& all, findings& found, const std::function<void(thread_rank&)>& body) {
    // [region]
#pragma omp parallel num_threads(all.threads())
    try {
      thread_rank me(all, omp_get_thread_num());
      body(me);
    } catch (const std::exception& e) {
      found.add(e.what());
    }
    // [region]
  }

 private:
  std::optional<team> members_;
};

/// Element `i` of the sum of all threads' whole_numbers.
std::vector<double> sum_of_all(std::uint64_t seed, index_t threads, index_t count) {
  std::vector<double> sum = whole_numbers<double>(seed, 0, count);
  for (index_t t = 1; t < threads; ++t) {
    const auto next = whole_numbers<double>(seed, t, count);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += next[i];
  }
  return sum;
}

TEST_F(thread_openmp, private_arrays_are_summed_region_after_region) {
  for (const int threads : {2, 3, 6}) {
    const thread_team all(members(), threads);
    findings found;
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
      const index_t count = seed % 3 == 0 ? 9000 : seed % 3 == 1 ? 20 : 500;
      const auto right = sum_of_all(seed, all.size(), count);
      in_region(all, found, [&](thread_rank& me) {
        auto mine = whole_numbers<double>(seed, me.number(), count);
        std::vector<double> sum(as_size(count), std::numeric_limits<double>::quiet_NaN());
        me.allreduce(mine.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM);
        found.expect(sum == right, text("allreduce of ", count));
        me.allreduce(MPI_IN_PLACE, mine.data(), count, MPI_DOUBLE, MPI_SUM);
        found.expect(mine == right, text("allreduce in place of ", count));
        me.barrier();
      });
    }
    EXPECT_EQ(found.text(), "");
  }
}

TEST_F(thread_openmp, calls_go_between_work_sharing_loops) {
  constexpr index_t count = 3000;
  const thread_team all(members(), 4);
  findings found;
  std::vector<double> shared(as_size(count), 0.0);
  in_region(all, found, [&](thread_rank& me) {
    const auto mine = whole_numbers<double>(5, me.number(), count);
    const auto* sum = static_cast<const double*>(me.allreduce_view(mine.data(), count, MPI_DOUBLE, MPI_SUM));
#pragma omp for schedule(dynamic, 64)
    for (index_t i = 0; i < count; ++i) shared[as_size(i)] = 2 * sum[i];
    double first = me.number() == 0 ? 17.5 : 0;
    me.bcast(&first, 1, MPI_DOUBLE, 0, 0);
    found.expect(first == 17.5, "broadcast");
  });
  EXPECT_EQ(found.text(), "");
  auto right = sum_of_all(5, all.size(), count);
  for (auto& v : right) v *= 2;
  EXPECT_TRUE(shared == right);
}

TEST_F(thread_openmp, threads_that_differ_all_learn_of_it_inside_the_region) {
  const thread_team all(members(), 3);
  int learnt = 0;
#pragma omp parallel num_threads(3) reduction(+ : learnt)
  {
    thread_rank me(all, omp_get_thread_num());
    double in[2] = {1, 2}, out[2];
    try {
      me.allreduce(in, out, me.thread() == 1 ? 1 : 2, MPI_DOUBLE, MPI_SUM);
    } catch (const usage_error&) {
      ++learnt;
    }
  }
  EXPECT_EQ(3, learnt);
}

}  // namespace
}  // namespace nearfar
#else
#include <mpi_test.hpp>

namespace nearfar {
TEST(thread_openmp, needs_a_compiler_with_openmp) { GTEST_SKIP() << "this compiler has no OpenMP"; }
}  // namespace nearfar
#endif
