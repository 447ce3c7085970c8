// SPDX-License-Identifier: BSD-3-Clause
// The Taylor-Green vortex at Re = 1600 at early times, and orders in time.
#include "flows.hpp"

namespace turbulence::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2}, .node_sizes = {0}, .on_cluster = false}};

/// Values of the spectral code on 512 points that data/ has.
TEST_F(flows, of_taylor_and_green_have_the_energy_of_the_reference) {
  const space on(team(), cube(64));
  flow vortex(on, {.viscosity = 0.000625});
  begin(vortex, {});
  EXPECT_NEAR(numbers_of(vortex).energy, 0.125, 1e-15);
  advance(vortex, 10, 0.01);
  const flow_numbers n = numbers_of(vortex);
  EXPECT_NEAR(n.energy, 0.124953117517, 1e-11);
  EXPECT_NEAR(n.enstrophy, 0.375249930801, 1e-8);
  EXPECT_NEAR(n.dissipation, 2 * 0.000625 * n.enstrophy, 1e-16);
}

/// How much closer to a run of short steps half the step is, as a power of two.
double order_of(const space& on, time_scheme scheme) {
  const auto run = [&](flow& of, int steps) {
    begin(of, {.kind = initial_kind::isotropic, .peak = 2});
    advance(of, steps, 0.4 / steps);
  };
  const flow_options options{.viscosity = 0.02, .scheme = scheme};
  flow exact(on, {.viscosity = 0.02}), coarse(on, options), fine(on, options);
  run(exact, 64), run(coarse, 8), run(fine, 16);
  return std::log2(distance(coarse, exact) / distance(fine, exact));
}

TEST_F(flows, converge_in_time_with_the_schemes_order) {
  const space on(team(), cube(16));
  const double third = order_of(on, time_scheme::rk3), fourth = order_of(on, time_scheme::rk4);
  EXPECT_GT(third, 2.8);
  EXPECT_LT(third, 3.4);
  EXPECT_GT(fourth, 3.8);
}

}  // namespace
}  // namespace turbulence::test
