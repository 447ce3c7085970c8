// SPDX-License-Identifier: BSD-3-Clause
// Point sources in homogeneous media against the exact field.
#include <cmath>
#include <mpi_test.hpp>
#include <nearfar/team.hpp>
#include <solver/propagator.hpp>

#include "point_sources.hpp"

namespace seismic::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1}, .node_sizes = {0}, .on_cluster = false}};

class exact_waves : public nearfar::test::MpiTest {
 protected:
  point_source_run run;

  void expect_second_order(system_kind system, const material& m, const symbol& exact) {
    const nearfar::team team(comm());
    const auto wanted = run.exact(system, m, exact);
    const double at_1_ms = run.error_of(team, system, m, 0.001, wanted);
    const double at_half = run.error_of(team, system, m, 0.0005, wanted);
    EXPECT_LT(at_1_ms, 5e-3);
    EXPECT_NEAR(at_1_ms / at_half, 4, 0.4) << at_1_ms << " and " << at_half;
  }
};

TEST_F(exact_waves, isotropic) {
  const material m;
  expect_second_order(system_kind::isotropic, m, isotropic_symbol(m));
}

TEST_F(exact_waves, fletcher_vti) {
  const material m = fletcher(0, 0);
  expect_second_order(system_kind::fletcher_vti, m, fletcher_symbol(m));
}

TEST_F(exact_waves, fletcher_tti) {
  for (const auto& [tilt, azimuth] : {std::pair{std::numbers::pi / 4, 1.0}, {1.2, -2.0}}) {
    const material m = fletcher(tilt, azimuth);
    expect_second_order(system_kind::fletcher_tti, m, fletcher_symbol(m));
  }
}

// A source in p alone sends slow shear waves too, which the original's wavelet has 2.6 points for: it is slower here.
TEST_F(exact_waves, self_adjoint) {
  run.cut_hz = 26, run.end_s = 0.26;  // the source has ended: its near field is full of the shortest waves
  for (const auto& [tilt, azimuth] : {std::pair{0.0, 0.0}, {std::numbers::pi / 4, 1.0}, {1.2, -2.0}}) {
    const material m = fletcher(tilt, azimuth);
    expect_second_order(system_kind::self_adjoint, m, self_adjoint_symbol(m));
  }
}

// Formulas that share nothing with the sums over waves.
TEST_F(exact_waves, of_isotropic_and_elliptical_ground_in_closed_form) {
  const nearfar::team team(comm());
  run.points = {{64, 64, 64}, {10, 10, 10}, {}}, run.end_s = 0.095;
  material elliptical = fletcher(0.7, 1.0);
  elliptical.epsilon = elliptical.delta;
  EXPECT_LT(run.error_of(team, system_kind::isotropic, {}, 0.0005, run.closed_form({})), 5e-3);
  EXPECT_LT(run.error_of(team, system_kind::fletcher_tti, elliptical, 0.0005, run.closed_form(elliptical)), 5e-3);
}

TEST_F(exact_waves, of_two_dimensions) {
  run.points.points[1] = 1;
  const material m = fletcher(std::numbers::pi / 4, 0);
  expect_second_order(system_kind::isotropic, material{}, isotropic_symbol(material{}));
  expect_second_order(system_kind::fletcher_vti, fletcher(0, 0), fletcher_symbol(fletcher(0, 0)));
  expect_second_order(system_kind::fletcher_tti, m, fletcher_symbol(m));
  run.cut_hz = 26, run.end_s = 0.26;
  expect_second_order(system_kind::self_adjoint, m, self_adjoint_symbol(m));
}

}  // namespace
}  // namespace seismic::test
