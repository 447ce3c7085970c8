// SPDX-License-Identifier: BSD-3-Clause
// What comes back from the sides, against a grid so large that nothing does; the free surface against a mirrored
// source.
#include <cmath>
#include <model/padding.hpp>
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

TEST_F(sides, of_tilted_media_reflect_less_than_60_db_if_matched) {
  for (const auto system : {system_kind::fletcher_tti, system_kind::self_adjoint}) {
    const propagator_options options{.system = system, .sides = side_kind::cpml, .absorbing_cells = 20};
    EXPECT_LT(reflected({60, 1, 80}, medium_of(fletcher(0.7, 0)), options, 300, 90), -60);
  }
  const propagator_options options{
      .system = system_kind::fletcher_tti, .order = 4, .sides = side_kind::cpml, .absorbing_cells = 12};
  EXPECT_LT(reflected({24, 24, 24}, medium_of(fletcher(0.8, 0.5)), options, 120, 30), -40);
}

TEST_F(sides, take_little_of_waves_along_them) {
  material m = fletcher(std::numbers::pi / 4, 0);
  m.vs *= 2000 / m.vp, m.vp = 2000;
  const auto errors = survey_near_the_top(system_kind::fletcher_tti, m, side_kind::cpml, 20)
                          .trace_errors(nearfar::team(comm()), {50, 100, 200});
  EXPECT_LT(errors[0], 0.005);
  EXPECT_LT(errors[1], 0.005);
  EXPECT_LT(errors[2], 0.01);
}

/// The medium over points with so many more at each side, where it goes on as in the ground of a run.
medium padded_medium(const medium& of, const grid& inner, int cells) {
  medium wider;
  const nearfar::ghosts by{{cells, cells}, {0, 0}, {cells, cells}};
  for (std::size_t p = 0; p < of.properties.size(); ++p)
    wider.properties[p] = padded_property(of.properties[p], inner, by);
  return wider;
}

// Where waves grow in layers, they are some powers of ten larger by then.
TEST_F(sides, of_any_tilt_let_nothing_grow) {
  const nearfar::team team(comm());
  constexpr int cells = 8;
  const auto growth = [&](system_kind system, const std::array<index_t, 3>& points, const medium& m, index_t steps) {
    return growth_run{{points, {h, h, h}, {}},
                      m,
                      {.system = system,
                       .order = 4,
                       .dt_s = 0.0008,
                       .sides = side_kind::cpml,
                       .absorbing_cells = cells,
                       .frequency_hz = peak_hz,
                       .threads = 1}}
        .growth(team, steps);
  };
  const std::array<index_t, 3> flat{36, 1, 40};
  for (const auto system : {system_kind::fletcher_tti, system_kind::self_adjoint}) {
    for (const double degrees : {0.0, 20.0, 45.0, 80.0})
      EXPECT_LT(growth(system, flat, medium_of(fletcher(degrees * std::numbers::pi / 180, 0)), 2500), 0.5) << degrees;
    EXPECT_LT(growth(system, {26, 25, 24}, medium_of(fletcher(0.8, 0.7)), 600), 0.5);
  }
  material focusing = fletcher(0.6, 0);
  focusing.epsilon = 0.1, focusing.delta = 0.2, focusing.vs = 1300;
  EXPECT_LT(growth(system_kind::fletcher_tti, flat, medium_of(focusing), 2500), 0.5);
  const grid inner{{flat[0] - 2 * cells, 1, flat[2] - 2 * cells}, {h, h, h}, {}};
  EXPECT_LT(growth(system_kind::self_adjoint, flat, padded_medium(sharp_blocks(), inner, cells), 2500), 0.5);
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
  EXPECT_THROW(
      propagator(
          team, points, medium_of(fletcher(0, 0)),
          {.system = system_kind::self_adjoint, .sides = side_kind::cpml, .absorbing_cells = 8, .is_transposed = true}),
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
