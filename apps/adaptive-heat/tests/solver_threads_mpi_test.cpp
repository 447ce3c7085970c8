// SPDX-License-Identifier: BSD-3-Clause
// Threads within a rank.
#include <cstdlib>
#include <solver/simulation.hpp>

#include "mpi_test.hpp"

namespace adaptive_heat {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2}, .node_sizes = {0}, .on_cluster = false}};

class Threads : public nearfar::test::MpiTest {};

/// Seven steps over two meshes, with elements of several threads at traces and at points that ranks share.
TEST_F(Threads, do_not_change_a_bit) {
  ::setenv("NEARFAR_BUDGET", "0", 1);
  const nearfar::team all(comm());
  problem p = problem_class("S");
  p.steps = 7, p.name = 'U', p.integral = 0;
  for (const exchange_form form : {exchange_form::copies, exchange_form::owner, exchange_form::ordered}) {
    simulation one(all, p, form);
    const double expected = one.run().integral;
    for (const int threads : {2, 3}) {
      simulation several(all, p, form, mesh_source::forest, threads);
      EXPECT_EQ(several.run().integral, expected) << threads << " threads";
      EXPECT_EQ(several.solver().residuals(), one.solver().residuals()) << threads << " threads";
      for (std::size_t n = 0; n < one.solver().mesh().leaves.size(); ++n)
        EXPECT_EQ(several.solver().elements().values(n), one.solver().elements().values(n)) << "element " << n;
    }
  }
}

TEST_F(Threads, pass_the_official_verification) {
  ::setenv("NEARFAR_BUDGET", "0", 1);
  const nearfar::team all(comm());
  const run_result r = simulation(all, problem_class("S"), exchange_form::copies, mesh_source::forest, 2).run();
  EXPECT_TRUE(r.is_verified);
  EXPECT_LT(r.relative_error, 1e-11);
}

}  // namespace
}  // namespace adaptive_heat
