// SPDX-License-Identifier: BSD-3-Clause
// Elements of all orders against solutions in closed form: errors fall with the order on one mesh.
#include <cmath>
#include <cstdlib>
#include <mesh/closed_form.hpp>
#include <nearfar/collective.hpp>
#include <numbers>
#include <solver/simulation.hpp>

#include "cut_mesh.hpp"
#include "mpi_test.hpp"

namespace adaptive_heat {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2}, .node_sizes = {0}, .on_cluster = false}};

using std::numbers::pi;
using place = std::array<double, 3>;

class Orders : public nearfar::test::MpiTest {
 protected:
  void SetUp() override {
    ::setenv("NEARFAR_BUDGET", "0", 1);
    MpiTest::SetUp();
  }

  static place place_of(const heat_solver& solver, std::size_t element, int point) {
    const octant& o = solver.mesh().leaves[element];
    const operators& op = ops(solver.elements().counts().order);
    const auto at = [&](std::uint32_t anchor, int axis) {
      const double zeta = op.zeta[static_cast<std::size_t>(op.counts.coordinate(point, axis))];
      return (anchor + o.side() * (zeta + 1) / 2) / cube_side;
    };
    return {at(o.x, 0), at(o.y, 1), at(o.z, 2)};
  }

  template <class Act>
  static void for_points(const heat_solver& solver, Act&& act) {
    for (std::size_t n = 0; n < solver.mesh().leaves.size(); ++n)
      for (int p = 0; p < solver.elements().counts().volume(); ++p) act(n, p, place_of(solver, n, p));
  }

  /// The largest error after some steps from exact(., 0) on, without source.
  template <class Exact>
  double error_of(solver_options options, double radius, int levels, int steps, Exact&& exact) {
    const nearfar::team team(comm());
    options.sources = {{{.start = {0.5, 0.5, 0.5}, .radius = radius}, 0}};
    heat_solver solver(team, options);
    solver.set_mesh(test::cut_mesh(team, closed_form_leaves(options.sources[0].ball.at(0), levels)));
    std::vector<double> values(static_cast<std::size_t>(solver.elements().counts().volume()));
    for_points(solver, [&](std::size_t n, int p, const place& at) {
      values[static_cast<std::size_t>(p)] = exact(at, 0);
      if (static_cast<std::size_t>(p) + 1 == values.size()) solver.elements().set_values(n, values);
    });
    for (int step = 0; step < steps; ++step) solver.step(step * options.scheme.dt);
    double worst = 0;
    for_points(solver, [&](std::size_t n, int p, const place& at) {
      if (p == 0) values = solver.elements().values(n);
      worst = std::max(worst, std::abs(values[static_cast<std::size_t>(p)] - exact(at, steps)));
    });
    return nearfar::allreduce(team, worst, nearfar::reduce_op::max);
  }
};

/// Nothing flows: steps of diffusion are implicit ones of Euler's, which divide an eigenfunction of the Laplacian by a
/// number. On a mesh with split faces the error falls by a factor with each order until the equations are not solved
/// any better.
TEST_F(Orders, diffusion_converges_spectrally) {
  const double viscosity = 0.05, dt = 0.01;
  const auto exact = [&](const place& x, int step) {
    return std::sin(pi * x[0]) * std::sin(pi * x[1]) * std::sin(pi * x[2]) *
           std::pow(1 + 3 * pi * pi * viscosity * dt, -step);
  };
  double before = 1;
  for (int order = least_order; order <= most_order; ++order) {
    const solver_options options{.order = order,
                                 .scheme = {.dt = dt, .viscosity = viscosity, .flow = {0, 0, 0}},
                                 .iterations = 80,
                                 .sources = {}};
    const double error = error_of(options, 0.1, 3, 4, exact);
    EXPECT_LT(error, std::max(before / 3, 1e-8)) << "order " << order;
    before = error;
  }
  EXPECT_LT(before, 1e-7);
}

/// Nothing spreads: what flows keeps its shape.
TEST_F(Orders, convection_converges_with_the_order) {
  const place flow{1, 0.5, -0.25};
  const double dt = 0.004;
  const auto exact = [&](const place& x, int step) {
    double square = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double d = (x[axis] - 0.5 - flow[axis] * dt * step) / 0.12;
      square += d * d;
    }
    return std::exp(-square);
  };
  const auto error = [&](int order) {
    const solver_options options{.order = order, .scheme = {.dt = dt, .viscosity = 1e-12, .flow = flow}, .sources = {}};
    return error_of(options, 0.3, 3, 8, exact);
  };
  const double quadratic = error(2), quartic = error(4), highest = error(8);
  EXPECT_LT(quartic, quadratic / 3);
  EXPECT_LT(highest, quartic / 10);
}

}  // namespace
}  // namespace adaptive_heat
