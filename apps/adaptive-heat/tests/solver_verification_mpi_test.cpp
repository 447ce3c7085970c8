// SPDX-License-Identifier: BSD-3-Clause
// The official values of NPB UA; and the ordered form, whose bits do not depend on the number of ranks.
// Shapes: RANKS 1 2 3 4 NODE_SIZES 0 1 NO_CLUSTER
#include <cstdlib>
#include <solver/simulation.hpp>

#include "mpi_test.hpp"

namespace adaptive_heat {
namespace {

class Verification : public nearfar::test::MpiTest {
 protected:
  void SetUp() override {
    ::setenv("NEARFAR_BUDGET", "0", 1);
    MpiTest::SetUp();
  }
  run_result run(const nearfar::team& team, problem p, exchange_form form) {
    simulation job(team, p, form, closed_form_mesh(team, p.levels));
    return job.run();
  }
};

TEST_F(Verification, class_s_in_both_forms) {
  const nearfar::team team(comm());
  for (const exchange_form form : {exchange_form::copies, exchange_form::owner}) {
    const run_result r = run(team, problem_class("S"), form);
    EXPECT_TRUE(r.is_verified);
    EXPECT_LT(r.relative_error, 1e-11);
    EXPECT_EQ(r.points, 9080.0 * 125 * 11);
  }
}

TEST_F(Verification, class_w) {
  if (size() > 2) GTEST_SKIP() << "two ranks suffice";
  const run_result r = run(nearfar::team(comm()), problem_class("W"), exchange_form::copies);
  EXPECT_TRUE(r.is_verified);
  EXPECT_LT(r.relative_error, 1e-11);
  EXPECT_EQ(r.points, 52495.0 * 125 * 11);
}

/// Twelve steps over three meshes, bit for bit what one rank makes of them.
TEST_F(Verification, ordered_form_has_the_bits_of_one_rank) {
  problem p = problem_class("S");
  p.steps = 12, p.name = 'U', p.integral = 0;
  const nearfar::team all(comm()), alone(MPI_COMM_SELF);
  simulation job(all, p, exchange_form::ordered, closed_form_mesh(all, p.levels));
  simulation serial(alone, p, exchange_form::ordered, closed_form_mesh(alone, p.levels));
  const run_result together = job.run(), by_one = serial.run();
  EXPECT_EQ(together.integral, by_one.integral);
  EXPECT_EQ(job.solver().residuals(), serial.solver().residuals());
  const auto& leaves = serial.solver().mesh().leaves;
  for (std::size_t n = 0; n < job.solver().mesh().leaves.size(); ++n) {
    const auto at = std::lower_bound(leaves.begin(), leaves.end(), job.solver().mesh().leaves[n]);
    EXPECT_EQ(job.solver().elements().values(n),
              serial.solver().elements().values(static_cast<std::size_t>(at - leaves.begin())));
  }
}

/// Eight elements, cut so that some ranks have none.
TEST_F(Verification, ranks_without_elements_take_part) {
  problem p = problem_class("S");
  p.levels = 1, p.steps = 6, p.radius = 0.3, p.name = 'U', p.integral = 0;
  const nearfar::team all(comm()), alone(MPI_COMM_SELF);
  const auto on_last = [&](const ball& b) {
    const mesh_part whole = closed_form_mesh(alone, p.levels)(b);
    std::vector<std::size_t> cuts(static_cast<std::size_t>(size()) + 1, 0);
    cuts.back() = whole.leaves.size();
    return cut_mesh(all, whole.leaves, cuts);
  };
  const double expected = run(alone, p, exchange_form::copies).integral;
  for (const exchange_form form : {exchange_form::copies, exchange_form::owner, exchange_form::ordered}) {
    simulation job(all, p, form, on_last);
    EXPECT_NEAR(job.run().integral / expected, 1, 1e-11);
  }
}

/// A ball between all points heats none of them: zero everywhere, and no quotient of zeros.
TEST_F(Verification, nothing_comes_of_a_ball_that_no_point_is_in) {
  problem p = problem_class("S");
  p.levels = 1, p.steps = 1, p.name = 'U', p.integral = 0;
  EXPECT_EQ(run(nearfar::team(comm()), p, exchange_form::copies).integral, 0);
}

}  // namespace
}  // namespace adaptive_heat
