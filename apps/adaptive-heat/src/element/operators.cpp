// SPDX-License-Identifier: BSD-3-Clause
// Derivation of the one-dimensional operators.
#include <element/operators.hpp>

#include <cmath>
#include <utility>

namespace adaptive_heat {
namespace {

using real = long double;
using reals = std::array<real, points>;

reals gauss_lobatto() { return {-1, -std::sqrt(real(3) / 7), 0, std::sqrt(real(3) / 7), 1}; }
reals gauss_lobatto_weights() { return {real(1) / 10, real(49) / 90, real(32) / 45, real(49) / 90, real(1) / 10}; }

/// l_j(x)
real lagrange(const reals& zeta, int j, real x) {
  real value = 1;
  for (int m = 0; m < points; ++m)
    if (m != j) value *= (x - zeta[m]) / (zeta[j] - zeta[m]);
  return value;
}

/// l_j'(x)
real lagrange_slope(const reals& zeta, int j, real x) {
  real sum = 0;
  for (int n = 0; n < points; ++n) {
    if (n == j) continue;
    real product = 1 / (zeta[j] - zeta[n]);
    for (int m = 0; m < points; ++m)
      if (m != j && m != n) product *= (x - zeta[m]) / (zeta[j] - zeta[m]);
    sum += product;
  }
  return sum;
}

real stiffness_of(const reals& zeta, const reals& weight, int i, int j) {
  real sum = 0;
  for (int p = 0; p < points; ++p)
    sum += weight[p] * lagrange_slope(zeta, i, zeta[p]) * lagrange_slope(zeta, j, zeta[p]);
  return sum;
}

template <int Rows, int Columns>
using table = std::array<std::array<real, Columns>, Rows>;

/// Solves a x = b for the columns of b in place (no pivot is small here).
void solve(table<3, 3> a, table<3, mortar_points>& b) {
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) {
      if (r == c) continue;
      const real factor = a[r][c] / a[c][c];
      for (int k = 0; k < 3; ++k) a[r][k] -= factor * a[c][k];
      for (int k = 0; k < mortar_points; ++k) b[r][k] -= factor * b[c][k];
    }
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < mortar_points; ++k) b[r][k] /= a[r][r];
}

/// Rows: test function x^r. Integrals of u psi over the interval (interior values on the left, its ends on the right) and of
/// phi psi over both halves; the quadrature is exact for all of them.
table<3, mortar_points> projection_of(const reals& zeta, const reals& weight) {
  table<3, 3> left{};
  table<3, mortar_points> right{};
  for (int r = 0; r < 3; ++r) {
    for (int i = 0; i < 3; ++i) left[r][i] = weight[i + 1] * std::pow(zeta[i + 1], real(r));
    for (int half = 0; half < 2; ++half)
      for (int q = 0; q < points; ++q)
        right[r][4 * half + q] += weight[q] / 2 * std::pow((zeta[q] + 2 * half - 1) / 2, real(r));
    right[r][0] -= weight[0] * std::pow(zeta[0], real(r));
    right[r][mortar_points - 1] -= weight[4] * std::pow(zeta[4], real(r));
  }
  solve(left, right);
  return right;
}

operators derive() {
  const reals zeta = gauss_lobatto(), weight = gauss_lobatto_weights();
  operators made{};
  for (int i = 0; i < points; ++i) {
    made.zeta[i] = static_cast<double>(zeta[i]);
    made.weight[i] = static_cast<double>(weight[i]);
    const int half = i < 3 ? 0 : 1;
    made.coarsen_half[i] = half;
    for (int j = 0; j < points; ++j) {
      made.derivative[i][j] = static_cast<double>(lagrange_slope(zeta, j, zeta[i]));
      made.stiffness[i][j] = static_cast<double>(stiffness_of(zeta, weight, i, j));
      for (int s = 0; s < 2; ++s)
        made.refine[s][i][j] = static_cast<double>(lagrange(zeta, j, (zeta[i] + 2 * s - 1) / 2));
      made.coarsen[i][j] = static_cast<double>(lagrange(zeta, j, 2 * zeta[i] + 1 - 2 * half));
    }
  }
  const auto projection = projection_of(zeta, weight);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < mortar_points; ++j) made.projection[i][j] = static_cast<double>(projection[i][j]);
  return made;
}

}  // namespace

const operators& ops() {
  static const operators derived = derive();
  return derived;
}

}  // namespace adaptive_heat
