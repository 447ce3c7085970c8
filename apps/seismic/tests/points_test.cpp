// SPDX-License-Identifier: BSD-3-Clause
// Points between grid points: weights, their transposes, what they interpolate.
#include <points/points.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "own_folder.hpp"

namespace seismic {
namespace {

const grid sample{{30, 26, 28}, {10, 12.5, 8}, {100, -50, 0}};

point_weights weights_at(const position& where, const spreading& how = {}, const grid& g = sample) {
  return weights_of(where, g, g.whole(), how, "receiver 3");
}

/// Metres of a place in spacings.
position metres(double k, double j, double i, const grid& g = sample) {
  return {g.origin_m[0] + k * g.spacing_m[0], g.origin_m[1] + j * g.spacing_m[1], g.origin_m[2] + i * g.spacing_m[2]};
}

template <class T>
struct array3 {
  std::vector<T> values;
  nearfar::box cells;
  explicit array3(const nearfar::box& b) : values(static_cast<std::size_t>(b.cells())), cells(b) {}
  field_part<T> part() { return {values.data(), {cells.extent(1) * cells.extent(2), cells.extent(2), 1}, cells}; }
  field_part<const T> seen() const {
    return {values.data(), {cells.extent(1) * cells.extent(2), cells.extent(2), 1}, cells};
  }
};

template <class Formula>
array3<double> filled(const nearfar::box& cells, const Formula& formula) {
  array3<double> a(cells);
  for (index_t k = cells.lower[0]; k < cells.upper[0]; ++k)
    for (index_t j = cells.lower[1]; j < cells.upper[1]; ++j)
      for (index_t i = cells.lower[2]; i < cells.upper[2]; ++i) a.part().at(k, j, i) = formula(k, j, i);
  return a;
}

TEST(Points, on_the_grid_there_is_one_weight_of_1) {
  const point_weights w = weights_at(metres(3, 25, 0));
  EXPECT_EQ(w.support(), (nearfar::box{3, {3, 25, 0}, {4, 26, 1}}));
  for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(w.along[d][0], 1);
}

TEST(Points, between_points_there_are_eight_along_each_dimension) {
  const point_weights w = weights_at(metres(10.3, 12.5, 13.9));
  EXPECT_EQ(w.support(), (nearfar::box{3, {7, 9, 10}, {15, 17, 18}}));
  double sum = 0;
  for_each_weight(w, sample.whole(), [&](index_t, index_t, index_t, double weight) { sum += weight; });
  EXPECT_NEAR(sum, 1, 2e-3);
  EXPECT_EQ(weights_at(metres(0.3, 12, 27)).first[0], 0);
}

TEST(Points, reading_is_the_transpose_of_injecting) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1, 1);
  for (const spreading how :
       {spreading{}, spreading{.half_width = 8, .window = usual_window(8), .has_free_surface = true}})
    for (const position& where : {metres(0.4, 12.3, 13.7), metres(20.1, 0.2, 26.9), metres(5, 6, 7)}) {
      const point_weights w = weights_at(where, how);
      array3<double> u = filled(sample.whole(), [&](index_t, index_t, index_t) { return any(random); });
      array3<double> s(sample.whole());
      const double value = any(random);
      inject(s.part(), w, value);
      double product = 0;
      for (std::size_t i = 0; i < s.values.size(); ++i) product += s.values[i] * u.values[i];
      EXPECT_NEAR(product, value * read(u.seen(), w), 1e-14);
    }
}

/// The largest error of a plane wave, read at places over a cell.
double wave_error(double wave, const std::array<double, 3>& direction) {
  const auto formula = [&](double k, double j, double i) {
    return std::sin(wave * (direction[0] * k + direction[1] * j + direction[2] * i) + 0.3);
  };
  const array3<double> u = filled(sample.whole(), [&](index_t k, index_t j, index_t i) {
    return formula(static_cast<double>(k), static_cast<double>(j), static_cast<double>(i));
  });
  double most = 0;
  for (double s = 0; s < 1; s += 0.09) {
    const double value = read(u.seen(), weights_at(metres(14 + s, 12.7 - s, 13 + 0.5 * s)));
    most = std::max(most, std::abs(value - formula(14 + s, 12.7 - s, 13 + 0.5 * s)));
  }
  return most;
}

/// Four points per wavelength is the shortest wave that the usual window is made for: the table's error there is 1.3e-3
/// of each dimension.
TEST(Points, waves_of_four_points_are_interpolated_to_2e_3_and_of_five_to_1e_3) {
  for (const auto& direction : {std::array{1.0, 0.0, 0.0}, std::array{0.0, 0.6, 0.8}, std::array{0.48, 0.6, 0.64}}) {
    EXPECT_LT(wave_error(std::numbers::pi / 2, direction), 2e-3);
    EXPECT_LT(wave_error(2 * std::numbers::pi / 5, direction), 1e-3);
  }
}

TEST(Points, parts_of_several_ranks_add_up) {
  const point_weights w = weights_at(metres(10.3, 12.5, 13.9));
  const array3<double> u =
      filled(sample.whole(), [](index_t k, index_t j, index_t i) { return 0.1 * static_cast<double>(k * j - i); });
  double sum = 0;
  for (const auto& [from, to] : {std::pair<index_t, index_t>{0, 11}, {11, 12}, {12, 30}}) {
    const nearfar::box tile{3, {from, 0, 0}, {to, 26, 28}};
    const array3<double> part = filled(tile, [&](index_t k, index_t j, index_t i) { return u.seen().at(k, j, i); });
    sum += read(part.seen(), w);
  }
  EXPECT_NEAR(sum, read(u.seen(), w), 1e-13);
}

TEST(Points, floats_and_factors) {
  const point_weights w = weights_at(metres(10, 12.5, 13));
  array3<float> s(sample.whole()), factors(sample.whole());
  std::fill(factors.values.begin(), factors.values.end(), 3.0F);
  inject(s.part(), factors.seen(), w, 2);
  EXPECT_FLOAT_EQ(s.part().at(10, 12, 13), static_cast<float>(6 * w.along[1][3]));
  EXPECT_GT(read(s.seen(), w), 0);
}

/// A field that is odd about the surface is interpolated as if it went on above it.
TEST(Points, a_free_surface_folds_weights) {
  const double wave = 0.6;
  const array3<double> u =
      filled(sample.whole(), [&](index_t k, index_t, index_t) { return std::sin(wave * static_cast<double>(k)); });
  const spreading folded{.has_free_surface = true};
  for (const double depth : {0.1, 0.5, 1.7, 2.9})
    EXPECT_NEAR(read(u.seen(), weights_at(metres(depth, 12, 13), folded)), std::sin(wave * depth), 1e-3) << depth;
  EXPECT_GT(std::abs(read(u.seen(), weights_at(metres(0.5, 12, 13))) - std::sin(wave * 0.5)), 0.01);
}

TEST(Points, flat_grids_have_points_in_their_plane) {
  const grid flat{{30, 1, 28}, {10, 10, 10}, {0, 0, 0}};
  EXPECT_EQ(weights_at({105, 0, 77}, {}, flat).counts, (std::array{8, 1, 8}));
  EXPECT_THAT(refusal_of<nearfar::usage_error>([&] {
                weights_at({105, 3, 77}, {}, flat);
              }),
              testing::HasSubstr("its y must be from 0 to 0 m"));
}

TEST(Points, outside_is_refused_with_the_range) {
  const auto refused = [&](const position& where) {
    return refusal_of<nearfar::usage_error>([&] { weights_at(where); });
  };
  EXPECT_THAT(
      refused({99, 0, 0}),
      testing::HasSubstr("receiver 3 at x = 0 m, y = 0 m, z = 99 m lies outside: its z must be from 100 to 390 m"));
  EXPECT_THAT(refused({100, 0, 216.1}), testing::HasSubstr("its x must be from 0 to 216 m"));
  EXPECT_THAT(refused({100, std::nan(""), 0}), testing::HasSubstr("its y must be"));
  EXPECT_THAT(refusal_of<nearfar::usage_error>([&] {
                weights_at({100, 0, 0}, {.half_width = 11});
              }),
              testing::HasSubstr("1 to 10"));
}

/// The error of a wave's derivative over its wave number; along the other dimensions the wave is read on grid points.
double slope_error_at(double wave, dimension d, double place) {
  const array3<double> u = filled(sample.whole(), [&](index_t k, index_t j, index_t i) {
    const std::array<index_t, 3> at{k, j, i};
    return std::sin(wave * static_cast<double>(at[static_cast<std::size_t>(d)]) + 0.3);
  });
  std::array<double, 3> at{14, 12, 13};
  at[static_cast<std::size_t>(d)] = place;
  const position where = metres(at[0], at[1], at[2]);
  const double slope = read(u.seen(), slope_weights_of(where, sample, sample.whole(), {}, d, "receiver 3"));
  return std::abs(slope * sample.spacing_m[static_cast<std::size_t>(d)] / wave - std::cos(wave * place + 0.3));
}

/// The largest one at places over a cell.
double slope_error(double wave, dimension d) {
  double most = 0;
  for (double s = 0; s < 1; s += 0.09) most = std::max(most, slope_error_at(wave, d, 13 + s));
  return most;
}

TEST(Points, derivatives_of_waves_of_four_points_and_more_are_good_to_1e_3) {
  for (const dimension d : {z, y, x}) {
    for (const double points : {4.0, 5.0, 8.0, 20.0, 50.0})
      EXPECT_LT(slope_error(2 * std::numbers::pi / points, d), 1e-3) << points;
    EXPECT_LT(slope_error(2 * std::numbers::pi / 3, d), 0.03);
  }
}

/// The field is odd about the surface; at it and beneath it images make up for what lies above.
TEST(Points, derivatives_at_a_free_surface_are_those_of_the_odd_field) {
  const auto odd = [](double k) { return std::sin(0.7 * k); };
  const array3<double> u =
      filled(sample.whole(), [&](index_t k, index_t, index_t) { return odd(static_cast<double>(k)); });
  const spreading how{.has_free_surface = true};
  for (const double k : {0.0, 0.3, 1.0, 2.6, 5.0}) {
    const auto w = slope_weights_of(metres(k, 12, 13), sample, sample.whole(), how, z, "receiver 3");
    EXPECT_NEAR(read(u.seen(), w), 0.7 * std::cos(0.7 * k) / sample.spacing_m[z], 1e-3 * 0.07) << k;
  }
}

/// Rows lie to one side there.
TEST(Points, derivatives_at_the_ends_of_a_grid_are_of_its_points) {
  for (const dimension d : {z, y, x}) {
    const double end = static_cast<double>(sample.points[d] - 1);
    for (const double points : {4.0, 5.0, 8.0, 20.0, 50.0}) {
      const double wave = 2 * std::numbers::pi / points;
      for (const double inside : {1.0, 1.4, 2.0, 3.7, 5.0})
        for (const double at : {inside, end - inside}) EXPECT_LT(slope_error_at(wave, d, at), 1e-2) << at;
      for (const double at : {0.0, end}) EXPECT_LT(slope_error_at(wave, d, at), 3e-2) << at;
    }
  }
}

TEST(Points, derivatives_along_few_points_are_refused) {
  for (const index_t few : {1, 12}) {
    const grid flat{{30, few, 28}, {10, 10, 10}, {}};
    EXPECT_THAT(refusal_of<nearfar::usage_error>([&] {
                  slope_weights_of({100, 0, 100}, flat, flat.whole(), {}, y, "receiver 3");
                }),
                testing::HasSubstr("receiver 3: a derivative along y is made of 13 points, and the grid has " +
                                   std::to_string(few)));
  }
}

}  // namespace
}  // namespace seismic
