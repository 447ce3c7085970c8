// SPDX-License-Identifier: BSD-3-Clause
// One-dimensional operators against the constants of NPB UA and what they must do to polynomials; splitting and merging.
#include <gtest/gtest.h>

#include <cmath>
#include <element/blocks.hpp>
#include <element/heat_profile.hpp>
#include <element/refinement.hpp>
#include <numbers>

namespace adaptive_heat {
namespace {

TEST(Operators, constants_are_those_of_npb) {
  const operators& o = ops();
  const double first_derivative[] = {-5, 6.7565024887242409, -8.0 / 3, 1.4101641779424268, -0.5};
  const double first_stiffness[] = {3.5, -3.912885075440301, 8.0 / 15, -0.170448257893032, 0.05};
  for (std::size_t j = 0; j < points; ++j) {
    EXPECT_NEAR(o.derivative[0][j], first_derivative[j], 2e-15);
    EXPECT_NEAR(o.stiffness[0][j], first_stiffness[j], 2e-15);
  }
  EXPECT_NEAR(o.derivative[2][2], 0, 1e-15);
  EXPECT_NEAR(o.stiffness[1][1], 6.351851851851852, 2e-15);
  EXPECT_NEAR(o.stiffness[2][2], 4.740740740740741, 2e-15);
  EXPECT_EQ(o.weight[2], 32.0 / 45);
}

TEST(Operators, projection_is_that_of_npb) {
  const double half[3][5] = {{-0.1772843218615690, 0.7152146412463197, 0.4398680650316104, 1.0 / 12, 0},
                             {0.09375, -0.2285757930375471, 0.2083333333333333, 0.3561799597042137, 0.140625},
                             {-0.03700139242414530, 1.0 / 12, -0.05891568407922938, -0.04854797457965334, 0}};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 5; ++j) {
      EXPECT_NEAR(ops().projection[i][j], half[i][j], 1e-15);
      EXPECT_NEAR(ops().projection[2 - i][8 - j], half[i][j], 1e-15);
    }
}

/// Powers of x up to the fourth: derivatives, values on halves, and the projection of both halves are exact.
TEST(Operators, polynomials_of_degree_four_are_exact) {
  const operators& o = ops();
  for (int power = 0; power < points; ++power) {
    const auto f = [power](double x) { return std::pow(x, power); };
    for (std::size_t i = 0; i < points; ++i) {
      double slope = 0, low = 0, high = 0;
      for (std::size_t j = 0; j < points; ++j) {
        slope += o.derivative[i][j] * f(o.zeta[j]);
        low += o.refine[0][i][j] * f(o.zeta[j]), high += o.refine[1][i][j] * f(o.zeta[j]);
      }
      EXPECT_NEAR(slope, power == 0 ? 0 : power * std::pow(o.zeta[i], power - 1), 1e-14);
      EXPECT_NEAR(low, f((o.zeta[i] - 1) / 2), 1e-15);
      EXPECT_NEAR(high, f((o.zeta[i] + 1) / 2), 1e-15);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      double projected = 0;
      for (std::size_t j = 0; j < 9; ++j)
        projected += o.projection[i][j] * f((o.zeta[j % 4 + (j == 8 ? 4 : 0)] + (j >= 4 ? 1 : -1)) / 2);
      EXPECT_NEAR(projected, f(o.zeta[i + 1]), 1e-14) << "power " << power << ", point " << i;
    }
  }
}

TEST(Profile, is_the_cosine) {
  for (int n = 0; n <= 1000; ++n) {
    const double q = n / 1000.0, s = 2 * q - 1;
    double half = 0;
    for (std::size_t t = profile_terms; t-- > 0;) half = half * s + profile_coefficients()[t];
    EXPECT_NEAR(2 * half * half, 1 + std::cos(std::numbers::pi * std::sqrt(q)), 2e-15) << "q = " << q;
  }
}

double quartic(double x, double y, double z) {
  return 1 + x * x * x * x - 2 * y * y * y * z + z * z * z * z * x * x + x * y * z -
         0.5 * y * y * y * y * z * x * x * x;
}

element_values quartic_on(const octant& o) {
  element_values u(volume);
  const auto at = [&](std::uint32_t anchor, std::size_t i) {
    return (anchor + o.side() * (ops().zeta[i] + 1) / 2) / cube_side;
  };
  for (std::size_t n = 0; n < volume; ++n) u[n] = quartic(at(o.x, n % 5), at(o.y, n / 5 % 5), at(o.z, n / 25));
  return u;
}

element_values quartic_on(const std::vector<octant>& leaves) {
  element_values values;
  for (const octant& o : leaves) {
    const element_values more = quartic_on(o);
    values.insert(values.end(), more.begin(), more.end());
  }
  return values;
}

element_values values_in(const octant& leaf, const std::vector<octant>& old) {
  element_values values(volume);
  adaptive_heat::values_in(usual_order, leaf, old, quartic_on(old).data(), values.data());
  return values;
}
element_values child_of(const element_values& whole, int c) {
  element_values child(volume);
  refine_to_child(usual_order, whole.data(), c, child.data());
  return child;
}
element_values whole_of(const element_values& children) {
  element_values whole(volume);
  merge_children(usual_order, children.data(), whole.data());
  return whole;
}

void expect_near(const element_values& a, const element_values& b) {
  for (std::size_t n = 0; n < volume; ++n) EXPECT_NEAR(a[n], b[n], 1e-14) << "point " << n;
}

TEST(Refinement, polynomials_stay_what_they_are) {
  const octant parent = octant{}.child(5);
  element_values children;
  for (int c = 0; c < 8; ++c) {
    const element_values child = child_of(quartic_on(parent), c);
    expect_near(child, quartic_on(parent.child(c)));
    children.insert(children.end(), child.begin(), child.end());
  }
  expect_near(whole_of(children), quartic_on(parent));
}

/// What is merged is read off the children at the parent's points, whatever they hold.
TEST(Refinement, merging_evaluates_the_child_that_has_the_point) {
  element_values children;
  for (int c = 0; c < 8; ++c) children.insert(children.end(), volume, c);
  const element_values whole = whole_of(children);
  for (std::size_t n = 0; n < volume; ++n) {
    const double c = (n % 5 > 2 ? 1 : 0) + (n / 5 % 5 > 2 ? 2 : 0) + (n / 25 > 2 ? 4 : 0);
    EXPECT_NEAR(whole[n], c, 1e-14) << "point " << n;
  }
}

TEST(Refinement, leaves_are_found_over_several_levels) {
  const octant far = octant{}.child(7).child(0).child(3);
  const std::vector<octant> coarse{octant{}.child(0), octant{}.child(7)};
  expect_near(values_in(far, coarse), quartic_on(far));
  std::vector<octant> fine;
  for (int c = 0; c < 8; ++c) {
    const octant child = octant{}.child(7).child(c);
    if (c != 2) fine.push_back(child);
    for (int d = 0; c == 2 && d < 8; ++d) fine.push_back(child.child(d));
  }
  expect_near(values_in(octant{}.child(7), fine), quartic_on(octant{}.child(7)));
}

}  // namespace
}  // namespace adaptive_heat
