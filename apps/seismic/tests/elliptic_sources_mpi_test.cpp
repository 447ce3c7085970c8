// SPDX-License-Identifier: BSD-3-Clause
// Ground that is elliptic around sources: what slow shear waves are left.
#include <app/ground.hpp>
#include <cmath>
#include <mpi_test.hpp>
#include <nearfar/error.hpp>
#include <nearfar/team.hpp>
#include <solver/propagator.hpp>

#include "reflections.hpp"

namespace seismic::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1}, .node_sizes = {0}, .on_cluster = false}};

class elliptic_sources : public nearfar::test::MpiTest {
 protected:
  static settings with(const std::vector<std::string>& keys) {
    return settings_in(
        "[grid]\npoints = [101, 1, 101]\n[medium]\nkind = 'tti'\n[model]\nvp = 3000\nvs = 1300\nepsilon = 0.24\n"
        "delta = 0.1\ntilt = 30\n[sides]\ncells = 15\n[[sources]]\nposition = [520, 0, 500]\n",
        "test", keys);
  }

  /// Norm of the fields when the P wave has left the grid and shear waves have not.
  double left_behind(double radius_m) const {
    const nearfar::team team(comm());
    const ground g = ground_of(team, with({"model.elliptic-radius=" + std::to_string(radius_m)}));
    propagator waves(team, g.all, g.of,
                     {.system = g.system,
                      .dt_s = 0.001,
                      .sides = side_kind::cpml,
                      .absorbing_cells = 15,
                      .frequency_hz = 15,
                      .threads = 1});
    for (index_t n = 0; n < 420; ++n) {
      const field_view p = waves.now(0);
      p.data[65 * p.strides[0] + 67] += static_cast<float>(pulse_at(15, 0.001 * static_cast<double>(n)));
      waves.step();
    }
    return waves.norm_now();
  }
};

TEST_F(elliptic_sources, send_few_slow_shear_waves) { EXPECT_LT(left_behind(300), 0.2 * left_behind(0)); }

TEST_F(elliptic_sources, have_ground_as_it_was_farther_away) {
  const nearfar::team team(comm());
  const settings s = with({"model.elliptic-radius=200"});
  const ground g = ground_of(team, s);
  std::vector<float> delta(static_cast<std::size_t>(g.all.size()));
  g.of.of(property_kind::delta)->read(g.all.whole(), delta);
  const auto at = [&](index_t k, index_t i) {
    return delta[static_cast<std::size_t>((k + 15) * g.all.points[2] + i + 15)];
  };
  EXPECT_FLOAT_EQ(at(50, 52), 0.24f);
  EXPECT_FLOAT_EQ(at(50, 61), 0.24f);
  EXPECT_NEAR(at(65, 52), 0.17, 1e-6);
  EXPECT_FLOAT_EQ(at(50, 72), 0.1f);
  EXPECT_FLOAT_EQ(at(0, 0), 0.1f);
}

}  // namespace
}  // namespace seismic::test
