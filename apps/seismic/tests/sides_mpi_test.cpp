// SPDX-License-Identifier: BSD-3-Clause
// What comes back from the sides, against a grid so large that nothing does; the free surface against a mirrored
// source.
#include <cmath>
#include <mpi_test.hpp>
#include <nearfar/team.hpp>
#include <solver/propagator.hpp>

#include "materials.hpp"

namespace seismic::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1}, .node_sizes = {0}, .on_cluster = false}};

double ricker(double peak_hz, double t) {
  const double a = std::pow(std::numbers::pi * peak_hz * (t - 1.2 / peak_hz), 2);
  return (1 - 2 * a) * std::exp(-a);
}

class sides : public nearfar::test::MpiTest {
 protected:
  static constexpr double h = 10, peak_hz = 15;

  /// p within `inner` points around a source after each of some times, of a grid with `beyond` more points on every
  /// side. `middle` is where the source is within the inner points.
  std::vector<std::vector<float>> run(const std::array<index, 3>& inner, const std::array<index, 3>& middle,
                                      index beyond, const medium& m, propagator_options options, index steps) {
    grid points{{}, {h, h, h}, {}};
    std::array<index, 3> first{};
    for (std::size_t d = 0; d < 3; ++d) {
      const index more = inner[d] == 1 ? 0 : beyond;
      points.points[d] = inner[d] + 2 * more, first[d] = more;
    }
    options.dt_s = 0.001, options.frequency_hz = peak_hz, options.threads = 1;
    propagator waves(nearfar::team(comm()), points, m, options);
    std::vector<std::vector<float>> seen;
    for (index n = 0; n < steps; ++n) {
      waves.step();
      for (int f = 0; f < waves.fields(); ++f) {
        const field_view v = waves.now(f);
        v.data[(first[0] + middle[0]) * v.strides[0] + (first[1] + middle[1]) * v.strides[1] + first[2] + middle[2]] +=
            static_cast<float>(ricker(peak_hz, static_cast<double>(n) * 0.001));
      }
      if (n % 10 == 9) {
        seen.emplace_back();
        const field_view v = waves.now(0);
        for (index k = 0; k < inner[0]; ++k)
          for (index j = 0; j < inner[1]; ++j) {
            const float* row = v.data + (first[0] + k) * v.strides[0] + (first[1] + j) * v.strides[1] + first[2];
            seen.back().insert(seen.back().end(), row, row + inner[2]);
          }
      }
    }
    return seen;
  }

  /// The largest difference, dB of the largest value at the edge of the inner points.
  static double reflection_db(const std::vector<std::vector<float>>& is, const std::vector<std::vector<float>>& should,
                              double reference) {
    double off = 0;
    for (std::size_t n = 0; n < is.size(); ++n)
      for (std::size_t at = 0; at < is[n].size(); ++at)
        off = std::max(off, std::abs(static_cast<double>(is[n][at]) - static_cast<double>(should[n][at])));
    return 20 * std::log10(off / reference);
  }

  /// Of a source near one corner: waves hit the near sides head-on and the far ones along them.
  double reflected(const std::array<index, 3>& inner, const medium& m, const propagator_options& options, index steps,
                   index far) {
    const std::array<index, 3> middle{inner[0] / 4, inner[1] / 4, inner[2] / 4};
    const auto absorbed = run(inner, middle, options.absorbing_cells, m, options, steps);
    propagator_options open = options;
    open.sides = side_kind::rigid;
    const auto free = run(inner, middle, far, m, open, steps);
    // What hits the sides: the direct wave there.
    double reference = 0;
    for (const auto& at_once : free)
      for (index k = 0; k < inner[0]; ++k)
        for (index i = 0; i < inner[2]; ++i)
          if (k == 0 || i == 0 || k == inner[0] - 1 || i == inner[2] - 1)
            reference = std::max(reference,
                                 std::abs(static_cast<double>(
                                     at_once[static_cast<std::size_t>((k * inner[1] + inner[1] / 4) * inner[2] + i)])));
    return reflection_db(absorbed, free, reference);
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

TEST_F(sides, free_surfaces_act_like_a_second_source_of_the_other_sign) {
  const medium m = medium_of(material{});
  const auto run_with = [&](index planes, bool has_surface, const std::vector<std::pair<index, float>>& sources) {
    const grid points{{planes, 24, 21}, {h, h, h}, {}};
    propagator waves(nearfar::team(comm()), points, m, {.dt_s = 0.001, .has_free_surface = has_surface, .threads = 1});
    for (index n = 0; n < 150; ++n) {
      waves.step();
      const field_view p = waves.now(0);
      for (const auto& [k, sign] : sources)
        p.data[k * p.strides[0] + 12 * p.strides[1] + 10] +=
            sign * static_cast<float>(ricker(peak_hz, static_cast<double>(n) * 0.001));
    }
    const field_view p = waves.now(0);
    std::vector<float> seen;
    for (index k = planes - 40; k < planes; ++k)
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
