// SPDX-License-Identifier: BSD-3-Clause
// Velocities in homogeneous media: of plane waves as grids get finer, and of fronts on and off the axis.
#include <mpi_test.hpp>

#include "fronts.hpp"
#include "standing_waves.hpp"

namespace seismic::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1}, .node_sizes = {0}, .on_cluster = false}};

class velocities : public nearfar::test::MpiTest {};

// An order and a half is left to the coarse grid of four points per wave. Half-cell products, of order 2 in mixed
// terms, would gain about 1.5^2 in directions between the axes.
TEST_F(velocities, of_plane_waves_come_nearer_by_the_order_in_every_direction) {
  const nearfar::team team(comm());
  for (const auto system : {system_kind::isotropic, system_kind::fletcher_tti, system_kind::self_adjoint})
    for (const int order : {4, 8, 12})
      for (const auto& n : {std::array<int, 3>{4, 0, 0}, {0, 3, -3}, {3, 0, 3}, {2, 3, 2}, {-2, 3, 2}}) {
        const standing_wave wave{system, order, fletcher(std::numbers::pi / 4, 1.0), n};
        const double coarse = std::abs(velocity_error(team, wave, 16)), fine = std::abs(velocity_error(team, wave, 24));
        EXPECT_LT(fine, coarse * std::pow(1.5, 1.5 - order) + 2e-7)
            << "system " << static_cast<int>(system) << ", order " << order << ", wave " << n[0] << " " << n[1] << " "
            << n[2] << ": " << coarse << " " << fine;
        EXPECT_LT(coarse, order == 4 ? 0.03 : 0.005);
      }
}

TEST_F(velocities, of_fronts_are_group_velocities_on_and_off_the_axis) {
  const nearfar::team team(comm());
  std::vector<std::array<double, 3>> rays;
  std::vector<double> degrees;
  const double tilt = 0.6;
  for (const double ray : {0.0, 20.0, 45.0, 70.0, 90.0, 135.0}) {
    const double angle = tilt + ray * std::numbers::pi / 180;
    rays.push_back({std::cos(angle), 0, std::sin(angle)}), degrees.push_back(ray);
  }
  for (const auto system : {system_kind::fletcher_tti, system_kind::self_adjoint}) {
    const front_run run{system, fletcher(tilt, 0)};
    const auto ratios = run.velocity_ratios(team, rays, 900, 1650);
    for (std::size_t r = 0; r < rays.size(); ++r)
      EXPECT_NEAR(ratios[r], 1, 2e-3) << "system " << static_cast<int>(system) << ", " << degrees[r] << " degrees";
  }
}

TEST_F(velocities, of_normal_moveout_are_what_delta_says) {
  const front_run run{system_kind::fletcher_vti, fletcher(0, 0)};
  const double wanted = 3000 * std::sqrt(1 + 2 * run.ground.delta);
  EXPECT_NEAR(run.normal_moveout_m_s(nearfar::team(comm()), 1500, 300) / wanted, 1, 1e-2);
}

}  // namespace
}  // namespace seismic::test
