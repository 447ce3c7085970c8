// SPDX-License-Identifier: BSD-3-Clause
// Plans of exchanges in place, where MPIs have mistakes of their own.
#include <algorithm>
#include <mpi_test.hpp>
#include <nearfar/nearfar.hpp>

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.node_sizes = {0, 1, 2}}};

class plans_in_place : public MpiTest {};

// Every pair of ranks has a length of its own, among them none and some tens of kilobytes.
TEST_F(plans_in_place, exchanges_with_lists_of_counts) {
  const team t(comm());
  const auto length = [](int a, int b) { return (7 * std::min(a, b) + 13 * std::max(a, b)) % 5 * 1000; };
  const auto value = [](int from, int to, int i) { return 1e6 * from + 1e4 * to + i; };
  std::vector<int> counts, places, offsets;
  int all = 0;
  for (int r = 0; r < size(); ++r) {
    counts.push_back(length(rank(), r)), places.push_back(all), offsets.push_back(8 * all);
    all += counts.back();
  }
  const std::vector<MPI_Datatype> types(counts.size(), MPI_DOUBLE);
  std::vector<double> x(static_cast<std::size_t>(all)), in = x, out = x;
  for (int r = 0, at = 0; r < size(); ++r)
    for (int i = 0; i < counts[static_cast<std::size_t>(r)]; ++i, ++at) {
      in[static_cast<std::size_t>(at)] = value(rank(), r, i);
      out[static_cast<std::size_t>(at)] = value(r, rank(), i);
    }
  for (const bool has_types : {false, true})
    for (const char* method : {"", "mpi"}) {
      const collective_call call =
          has_types
              ? calls::alltoallw(MPI_IN_PLACE, counts, offsets, types.data(), x.data(), counts, offsets, types.data())
              : calls::alltoallv(MPI_IN_PLACE, counts, places, MPI_DOUBLE, x.data(), counts, places, MPI_DOUBLE);
      collective_plan plan(t, call, {.method = method, .budget_s = no_tuning});
      for (int round = 0; round < 3; ++round) {
        x = in;
        plan.start();
        plan.finish();
        EXPECT_TRUE(x == out) << plan.start_method();
        x = in;
        plan.run();
        EXPECT_TRUE(x == out) << plan.method();
      }
    }
}

}  // namespace
}  // namespace nearfar::test
