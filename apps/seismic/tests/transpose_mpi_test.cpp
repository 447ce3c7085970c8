// SPDX-License-Identifier: BSD-3-Clause
// Sources and receivers change places; the transposed propagator is the propagator with time reversed.
#include <algorithm>
#include <cmath>
#include <mpi_test.hpp>
#include <nearfar/team.hpp>

#include "dot_products.hpp"

namespace seismic::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 4}, .node_sizes = {0}, .on_cluster = false}};

class transposed : public nearfar::test::MpiTest {
 protected:
  static constexpr double dt_s = 0.0008;

  void SetUp() override {
    ::setenv("NEARFAR_BUDGET", "0", 1);
    MpiTest::SetUp();
  }

  static dot_product_run run_of(system_kind system, side_kind sides) {
    dot_product_run run;
    run.ground = sharp_blocks();
    run.options = {.system = system, .dt_s = dt_s, .sides = sides, .absorbing_cells = 8, .threads = 1, .ghosts = 4};
    return run;
  }
};

TEST_F(transposed, propagators_pass_the_dot_product_test) {
  for (const auto& [system, sides] : {std::pair{system_kind::self_adjoint, side_kind::rigid},
                                      {system_kind::self_adjoint, side_kind::sponge},
                                      {system_kind::self_adjoint, side_kind::periodic},
                                      {system_kind::isotropic, side_kind::sponge},
                                      {system_kind::isotropic, side_kind::cpml}})
    EXPECT_LT(run_of(system, sides).gap_of_kernels(nearfar::team(comm())), 1e-5)
        << static_cast<int>(system) << " " << static_cast<int>(sides);
}

TEST_F(transposed, a_free_surface_stays_what_it_is) {
  dot_product_run run = run_of(system_kind::isotropic, side_kind::cpml);
  run.options.has_free_surface = true;
  EXPECT_LT(run.gap_of_kernels(nearfar::team(comm())), 1e-5);
}

// The layers' transpose is another one than the layers.
TEST_F(transposed, matched_layers_are_not_their_own_transpose) {
  dot_product_run run = run_of(system_kind::isotropic, side_kind::cpml);
  const double gap = run.gap([&](propagator_options with, const auto&... rest) {
    with.is_transposed = false;
    return run.recorded(nearfar::team(comm()), with, rest...);
  });
  EXPECT_GT(gap, 1e-4);
}

TEST_F(transposed, sources_and_receivers_change_places) {
  const nearfar::team team(comm());
  const dot_product_run run = run_of(system_kind::self_adjoint, side_kind::sponge);
  std::vector<double> pulse(static_cast<std::size_t>(run.steps));
  for (int n = 0; n < run.steps; ++n)
    pulse[static_cast<std::size_t>(n)] = std::exp(-0.01 * (n - 30) * (n - 30)) * (1 - 0.02 * (n - 30) * (n - 30));
  const auto there = run.recorded(team, run.options, {run.sources[0]}, {pulse}, {run.receivers[0]});
  const auto back = run.recorded(team, run.options, {run.receivers[0]}, {pulse}, {run.sources[0]});
  double most = 0;
  for (const double v : there[0]) most = std::max(most, std::abs(v));
  EXPECT_GT(most, 0);
  for (std::size_t n = 0; n < there[0].size(); ++n) EXPECT_NEAR(there[0][n] / most, back[0][n] / most, 2e-5) << n;
}

}  // namespace
}  // namespace seismic::test
