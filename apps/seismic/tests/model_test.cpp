// SPDX-License-Identifier: BSD-3-Clause
// Properties from formulas, what lies around the grid, and what is found wrong in a medium.
#include <model/checks.hpp>
#include <model/generated.hpp>
#include <model/padding.hpp>
#include <model/philox.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>
#include <vector>

#include "own_folder.hpp"

namespace seismic {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const grid ground{{40, 20, 60}, {25, 50, 20}, {0, 100, -300}};

std::vector<float> all_of(const property& p, const nearfar::box& where) {
  std::vector<float> values(static_cast<std::size_t>(where.cells()));
  p.read(where, values);
  return values;
}

/// The part of a whole array that lies in a box.
std::vector<float> part_of(const std::vector<float>& whole, const grid& g, const nearfar::box& where) {
  std::vector<float> part;
  for (index_t k = where.lower[0]; k < where.upper[0]; ++k)
    for (index_t j = where.lower[1]; j < where.upper[1]; ++j)
      for (index_t i = where.lower[2]; i < where.upper[2]; ++i)
        part.push_back(whole[static_cast<std::size_t>((k * g.points[1] + j) * g.points[2] + i)]);
  return part;
}

TEST(Model, layers_begin_at_their_tops) {
  const auto p = layered_property(ground, std::vector<layer>{{50, 1500}, {100, 2000}, {500, 3000}});
  const std::vector<float> column = all_of(*p, {3, {0, 0, 0}, {40, 1, 1}});
  EXPECT_EQ(column[0], 1500);
  EXPECT_EQ(column[3], 1500);
  EXPECT_EQ(column[4], 1750);
  EXPECT_EQ(column[5], 2000);
  EXPECT_EQ(column[19], 2000);
  EXPECT_EQ(column[20], 2500);
  EXPECT_EQ(column[21], 3000);
  EXPECT_EQ(column[39], 3000);
}

/// Cells of 25 m around points; the one at 100 m reaches from 87.5 to 112.5.
TEST(Model, cells_that_tops_go_through_have_the_mean_of_their_parts) {
  const auto at_100_m = [](const std::vector<layer>& layers, cell_mean mean) {
    return all_of(*layered_property(ground, layers, mean), {3, {4, 0, 0}, {5, 1, 1}})[0];
  };
  const std::vector<layer> two{{0, 2000}, {107.5, 4000}}, three{{0, 1}, {90, 2}, {105, 3}};
  EXPECT_FLOAT_EQ(at_100_m(two, cell_mean::arithmetic), 0.8f * 2000 + 0.2f * 4000);
  EXPECT_NEAR(at_100_m(two, cell_mean::of_slowness_squared), 1 / std::sqrt(0.8 / 4e6 + 0.2 / 16e6), 1e-3);
  EXPECT_EQ(at_100_m(two, cell_mean::largest_part), 2000);
  EXPECT_FLOAT_EQ(at_100_m(three, cell_mean::arithmetic), 0.1f * 1 + 0.6f * 2 + 0.3f * 3);
  EXPECT_EQ(at_100_m(three, cell_mean::largest_part), 2);
  EXPECT_EQ(at_100_m({{0, 2000}, {87.5 + 1e-7, 4000}}, cell_mean::arithmetic), 4000);
  EXPECT_EQ(at_100_m({{0, 0}, {100, 4000}}, cell_mean::of_slowness_squared), 0);
}

TEST(Model, generated_grounds_can_be_computed_and_have_the_same_boxes) {
  for (const auto formula : {salt_rock, thrust_rock}) {
    const auto of = generated_properties(ground, formula, "made up", 0.75);
    std::array<std::vector<float>, 6> v;
    for (std::size_t p = 0; p < 6; ++p) v[p] = all_of(*of[p], ground.whole());
    const model_facts f = examine({v[0], v[1], v[2], v[3], v[4], v[5]}, ground.whole(), {.needs_real_coupling = true});
    EXPECT_EQ(f.fault, cell_fault::none) << fault_text(f, ground, {"a", "b", "c", "d", "e", "f"});
    EXPECT_GE(f.least_vp, 2000);
    EXPECT_LE(f.most_vp, 5200);
    const nearfar::box tile{3, {7, 3, 11}, {23, 9, 12}};
    for (std::size_t p = 0; p < 6; ++p) EXPECT_EQ(all_of(*of[p], tile), part_of(v[p], ground, tile));
  }
}

/// Along the tangent of a layer, found from tilt and azimuth, the height of the fold falls with the depth: the layer
/// stays the same.
TEST(Model, the_axis_is_normal_to_the_layers) {
  const shares from{{0.9, 0.2, 0.13}, {1000, 2000, 3000}};
  for (const auto formula : {salt_rock, thrust_rock}) {
    const rock r = formula(from);
    const double nx = std::sin(r.tilt) * std::cos(r.azimuth), ny = std::sin(r.tilt) * std::sin(r.azimuth),
                 nz = std::cos(r.tilt);
    EXPECT_GT(r.tilt, 0);
    for (const double angle : {0.0, 1.0, 2.5}) {
      // A step of 1 m across, and down as the layer goes.
      const double dx = std::cos(angle), dy = std::sin(angle), dz = -(nx * dx + ny * dy) / nz;
      int changes = 0;
      for (int step = -3; step <= 3; ++step) {
        shares to = from;
        to.at[0] += step * dz / 1000, to.at[1] += step * dy / 2000, to.at[2] += step * dx / 3000;
        changes += formula(to).vp != r.vp ? 1 : 0;
      }
      EXPECT_EQ(changes, 0);
    }
  }
}

TEST(Model, salt_is_fast_and_isotropic_with_slopes_around) {
  const rock inside = salt_rock({{0.45, 0.5, 0.55}, {2000, 2000, 2000}});
  EXPECT_EQ(inside.vp, 4480);
  EXPECT_EQ(inside.epsilon, 0);
  EXPECT_EQ(salt_rock({{0.05, 0.5, 0.55}, {2000, 2000, 2000}}).epsilon, 0);
  double most = 0;
  for (double s = 0; s < 1; s += 0.01) most = std::max(most, salt_rock({{0.15, 0.3, s}, {2000, 2000, 2000}}).tilt);
  EXPECT_GT(most, 0.4);
  EXPECT_LT(most, 0.8);
}

TEST(Model, flat_grounds_have_no_slope_along_y) {
  const grid flat{{40, 1, 60}, {25, 1, 20}, {0, 0, 0}};
  for (const auto formula : {salt_rock, thrust_rock}) {
    const auto azimuth = all_of(*generated_properties(flat, formula, "flat", 0.75)[5], flat.whole());
    for (const float a : azimuth) EXPECT_NEAR(std::abs(std::sin(a)), 0, 1e-6);
  }
}

TEST(Model, the_mini_apps_media) {
  const nearfar::box one{3, {0, 0, 0}, {1, 1, 1}};
  const auto value = [&](medium_kind m, property_kind p) {
    return all_of(*fletcher_properties(m, 0.75)[static_cast<std::size_t>(p)], one)[0];
  };
  EXPECT_NEAR(value(medium_kind::vti, property_kind::vs), 1296.148, 1e-3);
  EXPECT_EQ(value(medium_kind::iso, property_kind::vs), 0);
  EXPECT_FLOAT_EQ(value(medium_kind::tti, property_kind::tilt), static_cast<float>(std::numbers::pi / 4));
  EXPECT_EQ(value(medium_kind::vti, property_kind::tilt), 0);
}

/// The values that the authors give with their program (Random123, kat_vectors).
TEST(Model, philox_is_the_authors) {
  EXPECT_EQ(philox({}, {}), (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (std::array<std::uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  double sum = 0;
  for (std::uint64_t i = 0; i < 10000; ++i) sum += random_share(3, i);
  EXPECT_NEAR(sum / 10000, 0.5, 0.01);
}

TEST(Model, the_ground_goes_on_beyond_the_grid) {
  const nearfar::ghosts by{{1, 2}, {0, 0}, {3, 3}};
  const grid all = padded(ground, by);
  EXPECT_EQ(all.points, (std::array<index_t, 3>{43, 20, 66}));
  EXPECT_EQ(all.origin_m, (std::array<double, 3>{-25, 100, -360}));
  const auto of = formula_property(
      ground, [](const position& p) { return p[z] + 3 * p[y] + 7 * p[x]; }, "places");
  const auto inner = all_of(*of, ground.whole()), outer = all_of(*padded_property(of, ground, by), all.whole());
  EXPECT_EQ(part_of(outer, all, {3, {1, 0, 3}, {41, 20, 63}}), inner);
  EXPECT_EQ(part_of(outer, all, {3, {0, 4, 0}, {1, 5, 1}})[0], inner[static_cast<std::size_t>(4 * 60)]);
  EXPECT_EQ(outer.back(), inner.back());
  const nearfar::box tile{3, {0, 2, 1}, {2, 5, 66}};
  EXPECT_EQ(all_of(*padded_property(of, ground, by), tile), part_of(outer, all, tile));
}

/// vs = vp sqrt(|epsilon - delta| / sigma), whichever of the two is larger.
TEST(Model, velocities_of_sigma_are_the_same_for_either_sign) {
  for (const auto& [epsilon, delta] : {std::pair{0.24, 0.1}, {0.1, 0.24}}) {
    const auto vs = vs_of_sigma(constant_property(3000), constant_property(epsilon), constant_property(delta), 0.75);
    EXPECT_NEAR(all_of(*vs, {3, {}, {1, 1, 1}})[0], 3000 * std::sqrt(0.14 / 0.75), 1e-3);
  }
}

TEST(Model, random_sides_have_widths_of_their_own) {
  const nearfar::ghosts by{{8, 12}, {6, 20}, {10, 5}};
  const grid all = padded(ground, by);
  const auto v = all_of(*random_sides(constant_property(3000), ground, by, 4, 3500, 9), all.whole());
  for (std::size_t d = 0; d < 3; ++d)
    for (const bool is_upper : {false, true}) {
      const index_t width = is_upper ? by.high(static_cast<int>(d)) : by.low(static_cast<int>(d)), random = width - 4;
      for (index_t depth = 0; depth <= width; ++depth) {
        std::array<index_t, 3> at{20, 20, 20};
        at[d] = is_upper ? all.points[d] - 1 - width + depth : width - depth;
        const index_t flat = (at[0] * all.points[1] + at[1]) * all.points[2] + at[2];
        const double share = static_cast<double>(depth) / static_cast<double>(random),
                     wanted = depth > random ? 0
                                             : 3000 * (1 - share) +
                                                   3500 * share * random_share(9, static_cast<std::uint64_t>(flat));
        EXPECT_NEAR(v[static_cast<std::size_t>(flat)], wanted, 1e-3) << d << ' ' << is_upper << ' ' << depth;
      }
    }
}

TEST(Model, random_sides_are_the_mini_apps_formula) {
  const nearfar::ghosts by(20);
  const grid all = padded(ground, by);
  const auto of = constant_property(3000);
  const auto p = random_sides(of, ground, by, 4, 3500, 9);
  const auto v = all_of(*p, all.whole());
  const auto at = [&](index_t k, index_t j, index_t i) {
    return static_cast<double>(v[static_cast<std::size_t>((k * all.points[1] + j) * all.points[2] + i)]);
  };
  EXPECT_EQ(at(30, 30, 30), 3000);
  EXPECT_EQ(at(3, 30, 30), 0);
  EXPECT_EQ(at(30, 30, all.points[2] - 4), 0);
  const auto expected = [&](index_t k, index_t j, index_t i, double d) {
    const double r = random_share(9, static_cast<std::uint64_t>((k * all.points[1] + j) * all.points[2] + i));
    return 3000 * (1 - d) + 3500 * r * d;
  };
  EXPECT_NEAR(at(4, 30, 30), expected(4, 30, 30, 1), 1e-3);
  EXPECT_NEAR(at(19, 12, 30), expected(19, 12, 30, 0.5), 1e-3);
  EXPECT_NEAR(at(30, 30, 80), expected(30, 30, 80, 1 / 16.0), 1e-3);
  const nearfar::box tile{3, {0, 10, 5}, {9, 50, 17}};
  EXPECT_EQ(all_of(*p, tile), part_of(v, all, tile));
  EXPECT_NE(all_of(*random_sides(of, ground, by, 4, 3500, 10), tile), part_of(v, all, tile));
}

struct sound_medium {
  std::vector<float> vp, vs, epsilon, delta;
  sound_medium() : vp(24, 3000), vs(24, 1000), epsilon(24, 0.2F), delta(24, 0.1F) {}
  medium_values seen() { return {vp, vs, epsilon, delta, {}, {}}; }
};

const grid small{{2, 3, 4}, {10, 10, 10}, {0, 0, 100}};

std::string fault_of(sound_medium m, const model_rules& rules = {.needs_real_coupling = true}) {
  return fault_text(examine(m.seen(), small.whole(), rules), small,
                    {"vp.rsf", "vs.rsf", "e.rsf", "d.rsf", "t.rsf", "a.rsf"});
}

TEST(ModelChecks, a_sound_medium_has_bounds) {
  sound_medium m;
  m.vp[3] = 2000, m.epsilon[3] = 0, m.delta[3] = -0.1F, m.vs[4] = 0;
  const model_facts f = examine(m.seen(), small.whole(), {.needs_real_coupling = true});
  EXPECT_EQ(f.fault, cell_fault::none);
  EXPECT_EQ(f.cells, 24);
  EXPECT_EQ(f.least_vp, 2000);
  EXPECT_EQ(f.least_vs, 1000);
  EXPECT_NEAR(f.slowest_p, 2000 * std::sqrt(0.8), 1e-3);
  EXPECT_NEAR(f.fastest_p, 3000 * std::sqrt(1.4), 1e-3);
  EXPECT_NEAR(largest_frequency_hz(f, small, 5), f.slowest_p / 50, 1e-9);
  EXPECT_NEAR(points_per_wavelength(f, small, 20), f.slowest_p / 200, 1e-9);
}

TEST(ModelChecks, a_coarse_grid_is_named_with_what_would_be_good) {
  const model_facts f = examine(sound_medium().seen(), small.whole(), {});
  EXPECT_EQ(coarseness_text(f, small, 60, 20, 5), "");
  EXPECT_EQ(coarseness_text(f, small, 75, 25, 5),
            "the wavelet has energy up to 75 Hz, where the shortest wave (3000 m/s) has 4 points of 10 m: at least 5 "
            "are needed; a frequency of at "
            "most 20 Hz is good, or a spacing of at most 8 m");
}

TEST(ModelChecks, velocities_in_kilometres_are_asked_about) {
  sound_medium m;
  for (float& vp : m.vp) vp /= 1000;
  for (float& vs : m.vs) vs /= 1000;
  const model_facts f = examine(m.seen(), small.whole(), {});
  EXPECT_THAT(unit_text(f), AllOf(HasSubstr("3 to 3."), HasSubstr("model.velocity-unit = 'km/s'")));
  EXPECT_THAT(coarseness_text(f, small, 60, 20, 5), HasSubstr(unit_text(f)));
  EXPECT_EQ(unit_text(examine(sound_medium().seen(), small.whole(), {})), "");
}

TEST(ModelChecks, the_first_bad_cell_is_named) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  sound_medium m;
  m.vp[17] = -3, m.vp[20] = nan;
  EXPECT_EQ(
      fault_of(m),
      "vp.rsf: vp = -3 in cell (x, y, z) = (1, 1, 1), at 110, 10, 10 m: it must be above 0 and at most 20000 m/s");
  m.epsilon[5] = nan;
  EXPECT_THAT(fault_of(m),
              AllOf(HasSubstr("e.rsf: epsilon = nan in cell (x, y, z) = (1, 1, 0)"), HasSubstr("a finite number")));
  m = {};
  m.vs[0] = 3000;
  EXPECT_THAT(fault_of(m), HasSubstr("vs.rsf: vs = 3000 in cell (x, y, z) = (0, 0, 0), at 100, 0, 0 m: it must be from "
                                     "0 to below vp, which is 3000"));
  m = {};
  m.delta[1] = -0.6F;
  EXPECT_THAT(fault_of(m), HasSubstr("d.rsf: delta = -0.6"));
  m = {};
  m.delta[1] = 0.3F;
  EXPECT_THAT(fault_of(m), AllOf(HasSubstr("e.rsf: epsilon = 0.2 in"), HasSubstr("at least delta, which is 0.3 there"),
                                 HasSubstr("clamp")));
  EXPECT_EQ(fault_of(m, {}), "");
}

TEST(ModelChecks, delta_is_lowered_on_wish_and_counted) {
  sound_medium m;
  m.delta[1] = 0.3F, m.delta[23] = 0.25F;
  const model_facts f = examine(m.seen(), small.whole(), {.needs_real_coupling = true, .clamps = true});
  EXPECT_EQ(f.fault, cell_fault::none);
  EXPECT_EQ(f.clamped, 2);
  EXPECT_NEAR(f.most_lowered, 0.1, 1e-6);
  EXPECT_EQ(m.delta[1], 0.2F);
}

TEST(ModelChecks, fletchers_system_keeps_delta_and_cells_that_grow_are_counted) {
  sound_medium m;
  m.delta[1] = 0.3F, m.delta[23] = 0.25F, m.vs[23] = 0;
  const model_facts f = examine(m.seen(), small.whole(), {.clamps = true});
  EXPECT_EQ(f.fault, cell_fault::none);
  EXPECT_EQ(f.clamped, 0);
  EXPECT_EQ(m.delta[1], 0.3F);
  EXPECT_EQ(f.growing, 1);
  EXPECT_NEAR(f.least_vs_share, std::sqrt(0.05 / (1.25 + std::sqrt(1.4))), 1e-6);
}

TEST(ModelChecks, ranks_facts_merge_in_any_order) {
  static_assert(std::is_trivially_copyable_v<model_facts>);
  sound_medium low, high;
  low.vp[11] = 0, high.vp[13] = 0, high.vp[14] = 5000;
  const auto part = [](sound_medium& m, index_t from) {
    const auto at = static_cast<std::size_t>(from * 12);
    const medium_values v = m.seen();
    return examine(
        {v.vp.subspan(at, 12), v.vs.subspan(at, 12), v.epsilon.subspan(at, 12), v.delta.subspan(at, 12), {}, {}},
        {3, {from, 0, 0}, {from + 1, 3, 4}}, {});
  };
  model_facts a = part(low, 0), b = part(high, 1), c = b;
  c.merge(a), a.merge(b);
  for (const model_facts& f : {a, c}) {
    EXPECT_EQ(f.cells, 24);
    EXPECT_EQ(f.most_vp, 5000);
    EXPECT_EQ(f.at, (std::array<std::int64_t, 3>{0, 2, 3}));
  }
}

}  // namespace
}  // namespace seismic
