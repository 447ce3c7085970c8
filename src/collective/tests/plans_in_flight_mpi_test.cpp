// SPDX-License-Identifier: BSD-3-Clause
// Plans that are destroyed between start() and finish(), and plans that differ between ranks in what is to be done.
#include <fresh_heap.hpp>
#include <functional>
#include <late_rank.hpp>
#include <memory>
#include <mpi_test.hpp>
#include <nearfar/nearfar.hpp>
#include <out_of_step.hpp>
#include <vector>

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 3}, .node_sizes = {0, 1, 2}}};

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t length = 300;

class PlansInFlight : public MpiTest {
 protected:
  /// Those that start() can be pinned to here.
  std::vector<std::string> methods_here(const team& t) {
    std::vector<std::string> all{"", "mpi"};
    std::vector<double> x(length), y(length);
    for (const char* method : {"plan-slots", "plan-slots-streamed"}) try {
        plans::allreduce(t, x, y, reduce_op::sum, {.method = method, .budget_s = no_tuning});
        all.emplace_back(method);
      } catch (const usage_error&) {  // nodes of different sizes
      }
    return all;
  }
  std::string complaint(const std::function<void()>& body) {
    try {
      body();
    } catch (const usage_error& e) {
      return e.what();
    }
    return "accepted";
  }
};

TEST_F(PlansInFlight, a_destroyed_plan_leaves_nothing_behind) {
  const team t(comm());
  for (const std::string& method : methods_here(t))
    for (int round = 0; round < 6; ++round) {
      try {
        std::vector<double> x(length, 1.0), y(length, -1.0);
        plans::allreduce sum(t, x, y, reduce_op::sum, {.method = method, .budget_s = no_tuning});
        if (rank() != round % size()) fall_behind();
        sum.start();
        throw round;
      } catch (int) {
      }
      const fresh_heap heap(length, 200);
      MPI_Barrier(comm());
      barrier(t);
      EXPECT_EQ(heap.overwritten(), 0) << method;
    }
}

// What the peers get is what was there at the start, whatever is done with the memory after the plan's end.
TEST_F(PlansInFlight, peers_of_a_destroyed_plan_get_what_it_was_started_with) {
  const team t(comm());
  for (const char* method : {"", "mpi", "plan-buffers"}) {
    if (std::string(method) == "plan-buffers" && t.nodes() > 1) continue;
    shared_array<double> x(t, length), y(t, length);
    const auto put = [&](double value) { std::fill(x.data(), x.data() + length, value); };
    put(1.0);
    try {
      auto sum = std::make_unique<plans::allreduce>(t, x, y, reduce_op::sum,
                                                    plan_options{.method = method, .budget_s = no_tuning});
      if (rank() > 0) fall_behind();
      sum->start();
      if (rank() == 0) sum.reset(), put(1000.0);
      if (sum) sum->finish();
    } catch (const usage_error& e) {
      EXPECT_THAT(e.what(), HasSubstr("plan-buffers"));  // near memory is not shared here
      continue;
    }
    EXPECT_EQ(y.data()[length - 1], size()) << method;
  }
}

TEST_F(PlansInFlight, a_plan_that_another_one_is_moved_onto_is_finished) {
  const team t(comm());
  std::vector<double> x(length, 1.0), y(length), z(length, -1.0);
  collective_plan p = plans::allreduce(t, x, y, reduce_op::sum, {.method = "mpi", .budget_s = no_tuning});
  if (rank() == 0) fall_behind();
  p.start();
  p = plans::allreduce(t, x, z, reduce_op::max, {.method = "mpi", .budget_s = no_tuning});
  EXPECT_EQ(y[length - 1], size());
  p.run();
  EXPECT_EQ(z[length - 1], 1);
}

TEST_F(PlansInFlight, a_plan_that_one_rank_alone_has_started_says_whom_its_end_waits_for) {
  const team t(comm());
  if (size() != 2) return;
  for (const char* method : {"", "mpi"}) {
    std::vector<double> x(length, 1.0), y(length);
    auto sum = std::make_unique<plans::allreduce>(
        t, x, y, reduce_op::sum, plan_options{.name = "dots", .method = method, .budget_s = no_tuning});
    const auto end = [&] { sum->start(), sum.reset(); };
    const std::string said = words_of_a_wait(comm(), end, end);
    const bool is_by_mpi = std::string(method) == "mpi" || t.nodes() > 1;
    if (rank() == 0) {
      EXPECT_THAT(said, HasSubstr(is_by_mpi ? "dots: waiting for other ranks" : "dots: waiting for rank 1"));
    }
    EXPECT_EQ(y[length - 1], 2);
  }
}

// Wrong numbers came of it.
TEST_F(PlansInFlight, operations_and_types_that_differ_are_an_error_on_every_rank) {
  const team t(comm());
  const bool is_odd_one = rank() == size() - 1;
  std::vector<double> x(4, 1.0), y(4);
  std::vector<std::int64_t> n(4, 1), m(4);
  const auto made = [&](any_reduce_op how) {
    return complaint([&] { plans::allreduce(t, x, y, how, {.budget_s = no_tuning}); });
  };
  MPI_Op own = MPI_OP_NULL, unordered = MPI_OP_NULL;
  const auto first = [](void*, void*, int*, MPI_Datatype*) {};
  MPI_Op_create(first, 1, &own);
  MPI_Op_create(first, 0, &unordered);
  EXPECT_EQ(made(own), "accepted");
  EXPECT_EQ(made(reduce_op::sum), "accepted");
  if (size() > 1) {
    EXPECT_THAT(made(is_odd_one ? reduce_op::max : reduce_op::sum),
                AllOf(HasSubstr("allreduce: the operation must be the same"), HasSubstr("sum on rank 0"),
                      HasSubstr("max on rank " + std::to_string(size() - 1))));
    EXPECT_THAT(made(is_odd_one ? any_reduce_op(own) : reduce_op::sum), HasSubstr("the program's own that commutes"));
    EXPECT_THAT(made(is_odd_one ? unordered : own), HasSubstr("that does not commute"));
    EXPECT_THAT(complaint([&] {
                  plans::reduce(t, x, y, is_odd_one ? reduce_op::min : reduce_op::sum, 0, {.budget_s = no_tuning});
                }),
                HasSubstr("reduce: the operation"));
    EXPECT_THAT(
        complaint([&] { is_odd_one ? plans::scan(t, n, m, reduce_op::sum) : plans::scan(t, x, y, reduce_op::sum); }),
        AllOf(HasSubstr("scan: the type of elements"), HasSubstr("64-bit floating-point numbers on rank 0"),
              HasSubstr("64-bit integers on rank")));
  }
  MPI_Op_free(&own);
  MPI_Op_free(&unordered);
}

TEST_F(PlansInFlight, arrays_that_are_not_there_are_an_error_on_every_rank) {
  const team t(comm());
  double y[4] = {};
  const bool is_odd_one = rank() == size() - 1;
  const auto made = [&](const void* in, void* out) {
    return complaint([&] { collective_plan(t, calls::allreduce(in, out, 4, MPI_DOUBLE, MPI_SUM)); });
  };
  const double x[4] = {};
  EXPECT_THAT(made(is_odd_one ? nullptr : x, y), HasSubstr("the array to send is NULL"));
  EXPECT_THAT(made(x, is_odd_one ? nullptr : y), HasSubstr("the array for the result is NULL"));
}

}  // namespace
}  // namespace nearfar::test
