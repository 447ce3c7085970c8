// SPDX-License-Identifier: BSD-3-Clause
// What comes back from the sides, against a grid so large that nothing does; the free surface against a mirrored
// source.
#include <cmath>
#include <mpi_test.hpp>
#include <nearfar/team.hpp>
#include <solver/propagator.hpp>

#include "materials.hpp"
#include "reflections.hpp"

namespace seismic::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1}, .node_sizes = {0}, .on_cluster = false}};

class sides : public nearfar::test::MpiTest {
 protected:
  static constexpr double h = reflection_run::h, peak_hz = reflection_run::peak_hz;

  /// Of a source near one corner: waves hit the near sides head-on and the far ones along them.
  double reflected(const std::array<index_t, 3>& inner, const medium& m, const propagator_options& options,
                   index_t steps, index_t far) {
    const std::array<index_t, 3> source{inner[0] / 4, inner[1] / 4, inner[2] / 4};
    return reflection_run{inner, source, m, options, steps, far}.reflected_db(nearfar::team(comm()));
  }
};

TEST_F(sides, of_isotropic_media_reflect_less_than_40_db) {
  const medium m = medium_of(material{});
  const propagator_options options{.sides = side_kind::cpml, .absorbing_cells = 20};
  EXPECT_LT(reflected({60, 1, 80}, m, options, 500, 110), -40);
  EXPECT_LT(reflected({30, 30, 40}, m, options, 220, 40), -40);
}

TEST_F(sides, of_tilted_media_reflect_less_than_30_db) {
  for (const auto system : {system_kind::fletcher_tti, system_kind::self_adjoint}) {
    const propagator_options options{.system = system, .sides = side_kind::sponge, .absorbing_cells = 40};
    EXPECT_LT(reflected({60, 1, 80}, medium_of(fletcher(0.7, 0)), options, 500, 150), -30);
  }
}

// Of a pulse in the middle the waves are the same on both sides, whatever comes back.
TEST_F(sides, absorb_alike_at_both_ends) {
  for (const side_kind kind : {side_kind::cpml, side_kind::sponge}) {
    const grid points{{41, 43, 45}, {h, h, h}, {}};
    propagator waves(nearfar::team(comm()), points, medium_of(material{}),
                     {.dt_s = 0.001, .sides = kind, .absorbing_cells = 8, .threads = 1});
    for (index_t n = 0; n < 200; ++n) {
      waves.step();
      const field_view p = waves.now(0);
      p.data[20 * p.strides[0] + 21 * p.strides[1] + 22] +=
          static_cast<float>(pulse_at(peak_hz, 0.001 * static_cast<double>(n)));
    }
    const field_view p = waves.now(0);
    const auto at = [&](index_t k, index_t j, index_t i) {
      return static_cast<double>(p.data[k * p.strides[0] + j * p.strides[1] + i]);
    };
    double most = 0, off = 0;
    for (index_t k = 0; k < 41; ++k)
      for (index_t j = 0; j < 43; ++j)
        for (index_t i = 0; i < 45; ++i) {
          most = std::max(most, std::abs(at(k, j, i)));
          for (const double mirrored : {at(40 - k, j, i), at(k, 42 - j, i), at(k, j, 44 - i)})
            off = std::max(off, std::abs(at(k, j, i) - mirrored));
        }
    EXPECT_LT(off, 1e-4 * most) << static_cast<int>(kind);
    EXPECT_GT(most, 0);
  }
}

TEST_F(sides, free_surfaces_act_like_a_second_source_of_the_other_sign) {
  const medium m = medium_of(material{});
  const auto run_with = [&](index_t planes, bool has_surface, const std::vector<std::pair<index_t, float>>& sources) {
    const grid points{{planes, 24, 21}, {h, h, h}, {}};
    propagator waves(nearfar::team(comm()), points, m, {.dt_s = 0.001, .has_free_surface = has_surface, .threads = 1});
    for (index_t n = 0; n < 150; ++n) {
      waves.step();
      const field_view p = waves.now(0);
      for (const auto& [k, sign] : sources)
        p.data[k * p.strides[0] + 12 * p.strides[1] + 10] +=
            sign * static_cast<float>(pulse_at(peak_hz, static_cast<double>(n) * 0.001));
    }
    const field_view p = waves.now(0);
    std::vector<float> seen;
    for (index_t k = planes - 40; k < planes; ++k)
      seen.insert(seen.end(), p.data + k * p.strides[0] + 12 * p.strides[1],
                  p.data + k * p.strides[0] + 12 * p.strides[1] + 21);
    return seen;
  };
  const auto half = run_with(40, true, {{6, 1.0f}}), whole = run_with(79, false, {{45, 1.0f}, {33, -1.0f}});
  double most = 0;
  for (const float v : whole) most = std::max(most, std::abs(static_cast<double>(v)));
  EXPECT_GT(most, 0);
  for (std::size_t n = 0; n < half.size(); ++n) EXPECT_NEAR(half[n] / most, whole[n] / most, 1e-5) << n;
}

TEST_F(sides, refuse_what_would_not_absorb) {
  const nearfar::team team(comm());
  const grid points{{30, 40, 40}, {h, h, h}, {}};
  EXPECT_THROW(propagator(team, points, medium_of(fletcher(0, 0)),
                          {.system = system_kind::fletcher_vti, .sides = side_kind::cpml, .absorbing_cells = 8}),
               nearfar::usage_error);
  EXPECT_THROW(propagator(team, points, medium_of(fletcher(0, 0)),
                          {.system = system_kind::self_adjoint, .has_free_surface = true}),
               nearfar::usage_error);
  try {
    propagator(team, points, medium_of(material{}), {.sides = side_kind::cpml, .absorbing_cells = 28});
    ADD_FAILURE() << "a layer that is thicker than the tile";
  } catch (const nearfar::usage_error& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("at least 32 points along z"));
  }
}

}  // namespace
}  // namespace seismic::test
