// SPDX-License-Identifier: BSD-3-Clause
// Transpositions that are destroyed between start() and finish().
#include <fresh_heap.hpp>
#include <mpi_test.hpp>
#include <nearfar/nearfar.hpp>
#include <vector>

namespace nearfar::test {
namespace {

class TransposeInFlight : public MpiTest {};

TEST_F(TransposeInFlight, a_destroyed_plan_leaves_nothing_behind) {
  const team members(comm());
  const std::vector<index_t> n{8, 8, 6};
  const transpose_side from{decomposition::slab(members, n, 0)}, to{decomposition::slab(members, n, 1), {1, 2, 0}};
  const array_shape in_shape = shape_of(from), out_shape = shape_of(to);
  std::vector<double> in(static_cast<std::size_t>(in_shape.elements)),
      out(static_cast<std::size_t>(out_shape.elements));
  const auto value = [](index_t i, index_t j, index_t m, int round) {
    return static_cast<double>(i * 100 + j * 10 + m) + 1000.0 * round;
  };
  const box own_in = from.parts.own(), own_out = to.parts.own();
  for (const std::string method : {"isend", "persistent", "neighbor", ""})
    for (int round = 0; round < 3; ++round) {
      try {
        transpose_plan p(from, to, in, out, {.method = method, .budget_s = no_tuning});
        p.start();
        throw round;
      } catch (int) {
      }
      const fresh_heap heap(8, 4000, 200);
      MPI_Barrier(comm());
      EXPECT_EQ(heap.overwritten(), 0) << method;
      for (index_t i = own_in.lower[0]; i < own_in.upper[0]; ++i)
        for (index_t j = 0; j < n[1]; ++j)
          for (index_t m = 0; m < n[2]; ++m)
            in[static_cast<std::size_t>(in_shape.offset({i, j, m}))] = value(i, j, m, round);
      transpose_plan p(from, to, in, out, {.method = method, .budget_s = no_tuning});
      p.run();
      int wrong = 0;
      for (index_t i = 0; i < n[0]; ++i)
        for (index_t j = own_out.lower[1]; j < own_out.upper[1]; ++j)
          for (index_t m = 0; m < n[2]; ++m)
            wrong += out[static_cast<std::size_t>(out_shape.offset({i, j, m}))] != value(i, j, m, round);
      EXPECT_EQ(wrong, 0) << method;
    }
}

}  // namespace
}  // namespace nearfar::test
