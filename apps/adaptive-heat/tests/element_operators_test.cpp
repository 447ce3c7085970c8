// SPDX-License-Identifier: BSD-3-Clause
// One-dimensional operators against the constants of NPB UA and what they must do to polynomials; splitting and
// merging.
#include <gtest/gtest.h>

#include <cmath>
#include <element/heat_profile.hpp>
#include <element/refinement.hpp>
#include <numbers>

namespace adaptive_heat {
namespace {

TEST(Operators, constants_are_those_of_npb) {
  const operators& o = ops(usual_order);
  const double first_derivative[] = {-5, 6.7565024887242409, -8.0 / 3, 1.4101641779424268, -0.5};
  const double first_stiffness[] = {3.5, -3.912885075440301, 8.0 / 15, -0.170448257893032, 0.05};
  for (std::size_t j = 0; j < 5; ++j) {
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
      EXPECT_NEAR(ops(usual_order).projection[i][j], half[i][j], 1e-15);
      EXPECT_NEAR(ops(usual_order).projection[2 - i][8 - j], half[i][j], 1e-15);
    }
}

class Orders : public testing::TestWithParam<int> {
 protected:
  const operators& op() const { return ops(GetParam()); }
  std::size_t points() const { return op().zeta.size(); }
  std::size_t volume() const { return static_cast<std::size_t>(op().counts.volume()); }
};

/// Powers of x up to the order: derivatives and values on halves are exact.
TEST_P(Orders, polynomials_are_exact) {
  const operators& o = op();
  for (int power = 0; power <= GetParam(); ++power) {
    const auto f = [power](double x) { return std::pow(x, power); };
    for (std::size_t i = 0; i < points(); ++i) {
      double slope = 0, low = 0, high = 0;
      for (std::size_t j = 0; j < points(); ++j) {
        slope += o.derivative[i][j] * f(o.zeta[j]);
        low += o.refine[0][i][j] * f(o.zeta[j]), high += o.refine[1][i][j] * f(o.zeta[j]);
      }
      EXPECT_NEAR(slope, power == 0 ? 0 : power * std::pow(o.zeta[i], power - 1), 5e-14);
      EXPECT_NEAR(low, f((o.zeta[i] - 1) / 2), 2e-15);
      EXPECT_NEAR(high, f((o.zeta[i] + 1) / 2), 2e-15);
    }
  }
}

/// The quadrature up to twice the order less one; and the stiffness, whose integrands are of lower degree still.
TEST_P(Orders, integrals_are_exact) {
  const operators& o = op();
  const auto integral = [](int power) { return power % 2 == 0 ? 2.0 / (power + 1) : 0.0; };
  for (int power = 0; power < 2 * GetParam(); ++power) {
    double sum = 0;
    for (std::size_t i = 0; i < points(); ++i) sum += o.weight[i] * std::pow(o.zeta[i], power);
    EXPECT_NEAR(sum, integral(power), 2e-15) << "power " << power;
  }
  for (int a = 1; a <= GetParam(); ++a)
    for (int b = 1; b <= GetParam(); ++b) {
      double sum = 0;
      for (std::size_t i = 0; i < points(); ++i)
        for (std::size_t j = 0; j < points(); ++j)
          sum += std::pow(o.zeta[i], a) * o.stiffness[i][j] * std::pow(o.zeta[j], b);
      EXPECT_NEAR(sum, a * b * integral(a + b - 2), 1e-13) << "powers " << a << ", " << b;
    }
}

/// Mortar point j of the two finer lines on the interval.
double place_on_halves(const operators& o, std::size_t j) {
  const std::size_t order = o.zeta.size() - 1;
  return j < order ? (o.zeta[j] - 1) / 2 : (o.zeta[j - order] + 1) / 2;
}

/// What is a polynomial of the order on both halves together stays what it is; powers of zero: rows of the projection
/// have the sum 1.
TEST_P(Orders, projection_keeps_polynomials) {
  const operators& o = op();
  for (int power = 0; power <= GetParam(); ++power)
    for (std::size_t i = 0; i + 2 < points(); ++i) {
      double projected = 0;
      for (std::size_t j = 0; j < 2 * points() - 1; ++j)
        projected += o.projection[i][j] * std::pow(place_on_halves(o, j), power);
      EXPECT_NEAR(projected, std::pow(o.zeta[i + 1], power), 5e-14) << "power " << power << ", point " << i;
    }
}

/// The mortar condition: whatever is projected, the difference is orthogonal to polynomials of degree N - 2.
TEST_P(Orders, projection_leaves_what_is_orthogonal) {
  const operators& o = op();
  const std::size_t order = points() - 1;
  std::vector<double> mortar(2 * order + 1), line(points());
  for (std::size_t j = 0; j < mortar.size(); ++j) mortar[j] = std::sin(1.0 + 3.7 * static_cast<double>(j * j));
  line.front() = mortar.front(), line.back() = mortar.back();
  for (std::size_t i = 0; i + 2 < points(); ++i)
    for (std::size_t j = 0; j < mortar.size(); ++j) line[i + 1] += o.projection[i][j] * mortar[j];
  for (int power = 0; power + 2 <= GetParam(); ++power) {
    double of_line = 0, of_mortar = 0;
    for (std::size_t q = 0; q < points(); ++q) {
      of_line += o.weight[q] * line[q] * std::pow(o.zeta[q], power);
      for (std::size_t half = 0; half < 2; ++half) {
        const std::size_t j = half * order + q;
        of_mortar += o.weight[q] / 2 * mortar[j] * std::pow((o.zeta[q] + (half == 0 ? -1 : 1)) / 2, power);
      }
    }
    EXPECT_NEAR(of_line, of_mortar, 1e-14) << "power " << power;
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

/// Of the order in each variable.
double polynomial(int order, double x, double y, double z) {
  return 1 + std::pow(x, order) - 2 * std::pow(y, order - 1) * z + std::pow(z, order) * x * x + x * y * z -
         0.5 * std::pow(y, order) * z * std::pow(x, order - 1);
}

element_values polynomial_on(const operators& op, const octant& o) {
  element_values u;
  for (int n = 0; n < op.counts.volume(); ++n) {
    const auto at = [&](std::uint32_t anchor, int axis) {
      return (anchor + o.side() * (op.zeta[static_cast<std::size_t>(op.counts.coordinate(n, axis))] + 1) / 2) /
             cube_side;
    };
    u.push_back(polynomial(op.counts.order, at(o.x, 0), at(o.y, 1), at(o.z, 2)));
  }
  return u;
}

element_values values_in(const operators& op, const octant& leaf, const std::vector<octant>& old) {
  element_values of_old, values(static_cast<std::size_t>(op.counts.volume()));
  for (const octant& o : old) {
    const element_values more = polynomial_on(op, o);
    of_old.insert(of_old.end(), more.begin(), more.end());
  }
  adaptive_heat::values_in(op.counts.order, leaf, old, of_old.data(), values.data());
  return values;
}

void expect_near(const element_values& a, const element_values& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t n = 0; n < a.size(); ++n) EXPECT_NEAR(a[n], b[n], 3e-14) << "point " << n;
}

TEST_P(Orders, polynomials_stay_what_they_are_when_elements_are_split_and_merged) {
  const octant parent = octant{}.child(5);
  const element_values whole = polynomial_on(op(), parent);
  element_values children, child(volume()), again(volume());
  for (int c = 0; c < 8; ++c) {
    refine_to_child(GetParam(), whole.data(), c, child.data());
    expect_near(child, polynomial_on(op(), parent.child(c)));
    children.insert(children.end(), child.begin(), child.end());
  }
  merge_children(GetParam(), children.data(), again.data());
  expect_near(again, whole);
}

/// What was split and is merged is what it was, whatever it is.
TEST_P(Orders, merging_undoes_splitting) {
  element_values whole, children(8 * volume()), again(volume());
  for (std::size_t n = 0; n < volume(); ++n) whole.push_back(std::sin(1.0 + 5.3 * static_cast<double>(n * n)));
  for (std::size_t c = 0; c < 8; ++c)
    refine_to_child(GetParam(), whole.data(), static_cast<int>(c), children.data() + c * volume());
  merge_children(GetParam(), children.data(), again.data());
  expect_near(again, whole);
}

/// What is merged is read off the children at the parent's points, whatever they hold.
TEST_P(Orders, merging_evaluates_the_child_that_has_the_point) {
  element_values children, whole(volume());
  for (int c = 0; c < 8; ++c) children.insert(children.end(), volume(), c);
  merge_children(GetParam(), children.data(), whole.data());
  for (std::size_t n = 0; n < volume(); ++n) {
    double c = 0;
    for (int axis = 0; axis < 3; ++axis)
      if (2 * op().counts.coordinate(static_cast<int>(n), axis) > GetParam()) c += 1 << axis;
    EXPECT_NEAR(whole[n], c, 2e-14) << "point " << n;
  }
}

TEST_P(Orders, leaves_are_found_over_several_levels) {
  const octant far = octant{}.child(7).child(0).child(3);
  expect_near(values_in(op(), far, {octant{}.child(0), octant{}.child(7)}), polynomial_on(op(), far));
  std::vector<octant> fine;
  for (int c = 0; c < 8; ++c) {
    const octant child = octant{}.child(7).child(c);
    if (c != 2) fine.push_back(child);
    for (int d = 0; c == 2 && d < 8; ++d) fine.push_back(child.child(d));
  }
  expect_near(values_in(op(), octant{}.child(7), fine), polynomial_on(op(), octant{}.child(7)));
}

INSTANTIATE_TEST_SUITE_P(All, Orders, testing::Range(least_order, most_order + 1));

}  // namespace
}  // namespace adaptive_heat
