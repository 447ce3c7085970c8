// SPDX-License-Identifier: BSD-3-Clause
// Any cut into ranks and nodes gives what one rank gives; in the ordered form bit for bit.
// Shapes: RANKS 2 3 NODE_SIZES 0 1 NO_CLUSTER
#include <cstdlib>
#include <mesh/closed_form.hpp>
#include <optional>
#include <solver/simulation.hpp>

#include "cut_mesh.hpp"
#include "mpi_test.hpp"

namespace adaptive_heat {
namespace {

class Shapes : public nearfar::test::MpiTest {
 protected:
  void SetUp() override {
    ::setenv("NEARFAR_BUDGET", "0", 1);
    MpiTest::SetUp();
    all_.emplace(comm());
  }
  void TearDown() override {
    all_.reset();
    MpiTest::TearDown();
  }
  const nearfar::team& all() const { return *all_; }
  const nearfar::team& alone() const {
    static const nearfar::team self(MPI_COMM_SELF);
    return self;
  }

 private:
  std::optional<nearfar::team> all_;
};

/// Seven steps over two meshes, bit for bit what one rank makes of them.
TEST_F(Shapes, ordered_form_has_the_bits_of_one_rank) {
  problem p = problem_class("S");
  p.steps = 7, p.name = 'U', p.integral = 0;
  simulation job(all(), p, exchange_form::ordered);
  simulation serial(alone(), p, exchange_form::ordered);
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

/// The other forms to rounding.
TEST_F(Shapes, forms_agree_with_one_rank) {
  problem p = problem_class("S");
  p.steps = 7, p.name = 'U', p.integral = 0;
  const double expected = simulation(alone(), p, exchange_form::copies).run().integral;
  for (const exchange_form form : {exchange_form::copies, exchange_form::assembly, exchange_form::owner})
    EXPECT_NEAR(simulation(all(), p, form).run().integral / expected, 1, 1e-11);
}

/// Eight elements, all on the last rank.
TEST_F(Shapes, ranks_without_elements_take_part) {
  problem p = problem_class("S");
  p.levels = 1, p.radius = 0.3;
  const auto leaves = closed_form_leaves(moving_ball{.radius = p.radius}.at(0), p.levels);
  std::vector<std::size_t> cuts(static_cast<std::size_t>(size()) + 1, 0);
  cuts.back() = leaves.size();
  const auto heat_of = [&](const nearfar::team& team, const mesh_part& part, exchange_form form) {
    heat_solver solver(team, {.scheme = {.dt = p.time_step()}, .ball = {.radius = p.radius}, .form = form});
    solver.set_mesh(part);
    for (int step = 0; step < 5; ++step) solver.step(step * p.time_step());
    return solver.integral();
  };
  const double expected = heat_of(alone(), test::cut_mesh(alone(), leaves), exchange_form::copies);
  EXPECT_GT(expected, 0);
  for (const exchange_form form :
       {exchange_form::copies, exchange_form::assembly, exchange_form::owner, exchange_form::ordered})
    EXPECT_NEAR(heat_of(all(), test::cut_mesh(all(), leaves, cuts), form) / expected, 1, 1e-11);
}

/// A ball between all points heats none of them: zero everywhere, and no quotient of zeros.
TEST_F(Shapes, nothing_comes_of_a_ball_that_no_point_is_in) {
  problem p = problem_class("S");
  p.levels = 1, p.steps = 1, p.name = 'U', p.integral = 0;
  EXPECT_EQ(simulation(alone(), p, exchange_form::copies).run().integral, 0);
}

}  // namespace
}  // namespace adaptive_heat
