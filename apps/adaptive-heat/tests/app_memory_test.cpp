// SPDX-License-Identifier: BSD-3-Clause
// How many elements a mesh is expected to have, against those of NPB UA and of the closed form.
#include <gtest/gtest.h>

#include <app/memory.hpp>
#include <common/memory.hpp>
#include <mesh/closed_form.hpp>
#include <string>
#include <tuple>

namespace adaptive_heat {
namespace {

void expect_near(double expected, double real, double factor, const char* what) {
  EXPECT_GT(expected, real / factor) << what;
  EXPECT_LT(expected, real * factor) << what;
}

TEST(Memory, elements_of_the_classes) {
  // The most that the classes' meshes have; of E only the first mesh is known. Small meshes differ more from their
  // mean.
  const std::tuple<const char*, double, double> most[] = {{"S", 246, 1.6},     {"W", 589, 1.4},    {"A", 2171, 1.25},
                                                          {"B", 8268, 1.25},   {"C", 32278, 1.25}, {"D", 506570, 1.25},
                                                          {"E", 7728442, 1.25}};
  for (const auto& [name, elements, factor] : most)
    expect_near(expected_elements(problem_class(name)), elements, factor, name);
}

TEST(Memory, mean_elements_of_balls_in_many_places) {
  for (const int levels : {3, 5})
    for (const double radius : {0.03, 0.1, 0.2}) {
      problem p;
      p.levels = levels, p.radius = 3 * radius, p.length = 3;
      double leaves = 0;
      constexpr int places = 64;
      for (int i = 0; i < places; ++i) {
        const std::array<double, 3> centre{0.35 + 0.3 * (i % 4) / 3.1, 0.35 + 0.3 * (i / 4 % 4) / 3.3,
                                           0.35 + 0.3 * (i / 16) / 3.2};
        leaves += static_cast<double>(closed_form_leaves(ball{.centre = centre, .radius = radius}, levels).size());
      }
      const std::string what = "level " + std::to_string(levels) + ", radius " + std::to_string(radius);
      expect_near(expected_elements(p), leaves / places, 1.3, what.c_str());
    }
}

/// The bytes of the usual order are those that were measured; those of others grow with their points.
TEST(Memory, elements_of_other_orders) {
  const auto of = [](int order, exchange_form form = exchange_form::copies) {
    return (expected_bytes(2e6, form, order) - expected_bytes(1e6, form, order)) / 1e6;
  };
  EXPECT_NEAR(of(4), 6e3, 100);
  EXPECT_NEAR(of(4, exchange_form::ordered), 12e3, 100);
  EXPECT_GT(of(8), 8 * (729 + 343 + 6 * 169));  // u, r and six mortar vectors
  EXPECT_LT(of(2), of(3));
}

TEST(Memory, of_this_machine_some_is_free) {
  EXPECT_GT(apps::free_bytes(), 1e6);
  EXPECT_LT(apps::free_bytes(), 1e15);
}

}  // namespace
}  // namespace adaptive_heat
