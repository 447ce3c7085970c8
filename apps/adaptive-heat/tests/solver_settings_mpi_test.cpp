// SPDX-License-Identifier: BSD-3-Clause
// Problems that are not the benchmark, against what integration by parts says: heat and its first moment follow from
// what is injected.
#include <cmath>
#include <cstdlib>
#include <element/operators.hpp>
#include <nearfar/collective.hpp>
#include <nearfar/error.hpp>
#include <numbers>
#include <solver/simulation.hpp>

#include "mpi_test.hpp"

namespace adaptive_heat {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2}, .node_sizes = {0}, .on_cluster = false}};

/// Heat, and its moments about the cube's corner, in the user's units.
struct moments {
  double heat = 0;
  std::array<double, 3> first{};
};

class Settings : public nearfar::test::MpiTest {
 protected:
  /// Source and medium move in directions of their own. The ball is resolved: its radius is three sides of the smallest
  /// elements.
  static problem own_problem() {
    problem p;
    p.levels = 4, p.steps = 12, p.iterations = 12, p.radius = 0.2;
    p.centre = {0.45, 0.5, 0.55}, p.velocity = {2, -1, 0.5}, p.flow = {-1, 0.5, 3};
    p.strength = -2.5, p.viscosity = 0.002, p.step_given = 0.0015;
    return p;
  }

  moments run(const problem& p) {
    ::setenv("NEARFAR_BUDGET", "0", 1);
    const nearfar::team team(comm());
    simulation job(team, p, exchange_form::copies);
    const double heat = job.run().integral;
    moments m = moments_of(p, job.solver());
    nearfar::allreduce(team, nearfar::in_place, std::span<double>(m.first), nearfar::reduce_op::sum);
    m.heat = heat;
    return m;
  }

  static moments moments_of(const problem& p, const heat_solver& solver) {
    moments m;
    const auto& leaves = solver.mesh().leaves;
    for (std::size_t n = 0; n < leaves.size(); ++n) {
      const element_values u = solver.elements().values(n);
      const double side = p.length * leaves[n].side() / cube_side;
      const std::array<double, 3> corner{p.length * leaves[n].x / cube_side, p.length * leaves[n].y / cube_side,
                                         p.length * leaves[n].z / cube_side};
      const operators& op = ops(p.order);
      for (std::size_t q = 0; q < u.size(); ++q) {
        const auto w = op.weights_at(static_cast<int>(q));
        const double weight = w[0] * w[1] * w[2] * std::pow(side / 2, 3);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const int i = op.counts.coordinate(static_cast<int>(q), static_cast<int>(axis));
          m.first[axis] +=
              weight * u[q] * (p.origin[axis] + corner[axis] + side * (op.zeta[static_cast<std::size_t>(i)] + 1) / 2);
        }
      }
    }
    return m;
  }

  /// Heat per time: the integral of strength (1 + cos(pi r / radius)) over the ball.
  static double power(const problem& p) {
    constexpr double pi = std::numbers::pi;
    return p.strength * 4 * pi * std::pow(p.radius, 3) * (1.0 / 3 - 2 / (pi * pi));
  }
};

// Nothing is left to solve in any step, by any of the sums.
TEST_F(Settings, no_source_leaves_everything_cold) {
  problem p = own_problem();
  p.strength = 0, p.steps = 3;
  const moments m = run(p);
  EXPECT_EQ(m.heat, 0);
  for (const double first : m.first) EXPECT_EQ(first, 0);
}

TEST_F(Settings, heat_and_its_first_moment_are_those_injected) {
  const problem p = own_problem();
  const moments m = run(p);
  const double time = p.steps * p.time_step(), heat = power(p) * time;
  EXPECT_NEAR(m.heat / heat, 1, 2e-3);
  // d/dt of the moment is power * centre(t) + flow * heat(t), as long as no heat has come to the surface.
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double drift = m.first[axis] / m.heat - p.centre[axis];
    EXPECT_NEAR(drift, (p.velocity[axis] + p.flow[axis]) * time / 2, 4e-4) << "axis " << axis;
  }
}

// What flows and spreads is linear: heat of balls that are hot at the start moves with the flow and is kept, that of
// several sources adds up.
TEST_F(Settings, heat_of_the_start_and_of_several_sources) {
  problem p = own_problem();
  const double time = p.steps * p.time_step();
  p.at_start.push_back({{0.4, 0.6, 0.5}, {}, 0.2, 0.75});
  p.strength = 0;
  const double still = p.at_start.heat();
  const moments of_start = run(p);
  EXPECT_NEAR(of_start.heat / still, 1, 2e-3);
  for (std::size_t axis = 0; axis < 3; ++axis)
    EXPECT_NEAR(of_start.first[axis] / of_start.heat - p.at_start.all[0].centre[axis], p.flow[axis] * time, 1e-3);
  p.strength = -2.5;
  p.more_sources.push_back({{0.6, 0.4, 0.5}, {0, 1, 0}, 0.25, 1});
  const moments all = run(p);
  EXPECT_NEAR(all.heat / p.heat_given(), 1, 3e-3);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double wanted = still * (p.at_start.all[0].centre[axis] + p.flow[axis] * time);
    for (const heat_ball& b : p.sources())
      wanted += b.heat() * time * (b.centre[axis] + (b.velocity[axis] + p.flow[axis]) * time / 2);
    EXPECT_NEAR(all.first[axis] / wanted, 1, 5e-3) << "axis " << axis;
  }
}

// As the page says: half the step, half the error.
TEST_F(Settings, the_error_of_time_steps_is_of_first_order) {
  const auto highest = [&](int halvings) {
    problem p = own_problem();
    p.levels = 3, p.steps = 8 << halvings, p.step_given = 0.002 / (1 << halvings), p.iterations = 40, p.radius = 0.4;
    p.strength = 1, p.viscosity = 0.02, p.flow = {-1, 0.5, 1}, p.adapt_every = 1000000;
    const nearfar::team team(comm());
    simulation job(team, p, exchange_form::copies);
    return job.run().temperatures[1];
  };
  const double whole = highest(0), half = highest(1), quarter = highest(2);
  EXPECT_NEAR((half - whole) / (quarter - half), 2, 0.1);
}

TEST_F(Settings, a_cube_of_another_size_and_place_has_the_same_temperature) {
  const problem small = own_problem();
  problem large = small;
  large.length = 8, large.origin = {-4, 16, 1}, large.radius *= 8, large.viscosity *= 64;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    large.centre[axis] = large.origin[axis] + 8 * small.centre[axis];
    large.velocity[axis] *= 8, large.flow[axis] *= 8;
  }
  const double heat = run(small).heat;
  EXPECT_NEAR(run(large).heat / (512 * heat), 1, 1e-10);
}

TEST_F(Settings, a_finer_mesh_changes_little) {
  problem p = own_problem();
  p.steps = 4;
  const double coarse = run(p).first[2];
  p.levels = 5;
  EXPECT_NEAR(run(p).first[2] / coarse, 1, 2e-3);
}

TEST_F(Settings, more_heat_than_the_source_can_have_given_is_an_error) {
  problem p = own_problem();
  p.levels = 3, p.steps = 120, p.viscosity = 1e-4, p.velocity = {}, p.flow = {3, 3, 3}, p.centre = {0.5, 0.5, 0.5};
  p.radius = 0.3, p.step_given = 0.04 / 8;
  try {
    run(p);
    ADD_FAILURE() << "nothing was said";
  } catch (const nearfar::usage_error& e) {
    EXPECT_NE(std::string_view(e.what()).find("blown up by step 120"), std::string_view::npos) << e.what();
  }
}

TEST_F(Settings, a_temperature_that_is_not_finite_is_an_error) {
  problem p = own_problem();
  p.levels = 2, p.steps = 400, p.step_given = 0.5;
  EXPECT_THROW(run(p), nearfar::usage_error);
}

}  // namespace
}  // namespace adaptive_heat
