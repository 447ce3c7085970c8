// SPDX-License-Identifier: BSD-3-Clause
// Plans under NEARFAR_REPRODUCIBLE=order: the bits of a serial loop over the ranks, whatever nodes, size, buffers,
// method, run or started.
#include <cstdlib>
#include <cstring>
#include <mpi_test.hpp>
#include <nearfar/nearfar.hpp>

#include "rounding_numbers.hpp"

namespace nearfar::collective::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2, 3, 4}, .on_cluster = false}};

constexpr int root = 1;

class ordered_plans : public nearfar::test::MpiTest {
 protected:
  void SetUp() override {
    MpiTest::SetUp();
    setenv("NEARFAR_REPRODUCIBLE", "order", 1);
  }
  void TearDown() override {
    unsetenv("NEARFAR_REPRODUCIBLE");
    MpiTest::TearDown();
  }

  index_t in_count(collective_kind kind, index_t count) const {
    return kind == collective_kind::reduce_scatter_block ? count * size() : count;
  }
  bool has_result(collective_kind kind) const {
    return kind == collective_kind::reduce ? rank() == root : kind != collective_kind::exscan || rank() > 0;
  }
  std::vector<double> wanted(collective_kind kind, index_t count) const {
    const int last = kind == collective_kind::scan ? rank() : kind == collective_kind::exscan ? rank() - 1 : size() - 1;
    const auto whole = serial_sum(0, last, in_count(kind, count));
    const auto first = whole.begin() + (kind == collective_kind::reduce_scatter_block ? rank() * count : 0);
    return {first, first + count};
  }

  static collective_call call_of(collective_kind kind, std::span<double> in, std::span<double> out) {
    switch (kind) {
      case collective_kind::reduce:
        return calls::reduce(in, out, reduce_op::sum, root);
      case collective_kind::scan:
        return calls::scan(in, out, reduce_op::sum);
      case collective_kind::exscan:
        return calls::exscan(in, out, reduce_op::sum);
      case collective_kind::reduce_scatter_block:
        return calls::reduce_scatter_block(in, out, reduce_op::sum);
      default:
        return calls::allreduce(in, out, reduce_op::sum);
    }
  }

  void expect_bits(collective_kind kind, std::span<const double> out, const collective_plan& plan) const {
    if (!has_result(kind)) return;
    const auto right = wanted(kind, std::ssize(out));
    EXPECT_EQ(0, std::memcmp(right.data(), out.data(), out.size_bytes())) << out.size() << ", " << plan.describe();
  }

  /// Runs a plan both ways.
  void check(const team& t, collective_kind kind, std::span<double> in, std::span<double> out, const char* method) {
    const auto mine = contribution(rank(), std::ssize(in));
    std::copy(mine.begin(), mine.end(), in.begin());
    collective_plan plan(t, call_of(kind, in, out), {.method = method, .budget_s = 0.01});
    std::fill(out.begin(), out.end(), -1.0);
    plan.run();
    expect_bits(kind, out, plan);
    std::fill(out.begin(), out.end(), -1.0);
    plan.start();
    plan.finish();
    expect_bits(kind, out, plan);
  }

  void check_all(const char* method) {
    const team t(comm());
    for (const auto kind : {collective_kind::allreduce, collective_kind::reduce, collective_kind::scan,
                            collective_kind::exscan, collective_kind::reduce_scatter_block}) {
      for (const index_t count : {1, 63, 1500, 9000}) {
        SCOPED_TRACE(text(name_of(kind), ", ", count));
        std::vector<double> in(as_size(in_count(kind, count))), out(as_size(count));
        check(t, kind, in, out, method);
        shared_array<double> near_in(t, in_count(kind, count)), near_out(t, count);
        check(t, kind, {near_in.data(), near_in.size()}, {near_out.data(), near_out.size()}, method);
      }
    }
  }
};

TEST_F(ordered_plans, have_the_bits_of_a_serial_loop) { check_all(""); }

TEST_F(ordered_plans, keep_the_order_where_a_method_is_pinned_that_has_none) { check_all("mpi"); }

TEST_F(ordered_plans, in_place) {
  const team t(comm());
  for (const index_t count : {5, 4000}) {
    auto both = contribution(rank(), count);
    collective_plan plan(t, calls::allreduce(std::span(both), reduce_op::sum), {.budget_s = 0.01});
    plan.run();
    expect_bits(collective_kind::allreduce, both, plan);
  }
}

}  // namespace
}  // namespace nearfar::collective::test
