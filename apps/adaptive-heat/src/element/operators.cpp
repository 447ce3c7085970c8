// SPDX-License-Identifier: BSD-3-Clause
// Derivation of the one-dimensional operators.
#include <element/operators.hpp>

#include <cmath>
#include <numbers>
#include <utility>

namespace adaptive_heat {
namespace {

using real = long double;
using reals = std::vector<real>;
using table = dense_matrix<real>;

/// The Legendre polynomials of degree n and n - 1. @pre n >= 1
std::pair<real, real> legendre(int n, real x) {
  real before = 1, now = x;
  for (int k = 1; k < n; ++k) before = std::exchange(now, ((2 * k + 1) * x * now - k * before) / (k + 1));
  return {now, before};
}

/// The ends, and where the slope of the Legendre polynomial of degree N is zero: (1 - x^2) P_N' = N (P_N-1 - x P_N),
/// whose slope is
/// - N (N + 1) P_N. Newton's method, from the points of Chebyshev.
reals gauss_lobatto(int order) {
  reals zeta(static_cast<std::size_t>(order) + 1);
  for (int i = 0; 2 * i < order; ++i) {
    real x = -std::cos(std::numbers::pi_v<real> * i / order);
    for (int round = 0; i > 0 && round < 20; ++round) {
      const auto [now, before] = legendre(order, x);
      x -= (x * now - before) / ((order + 1) * now);
    }
    zeta[static_cast<std::size_t>(i)] = i == 0 ? -1 : x;
    zeta[static_cast<std::size_t>(order - i)] = -zeta[static_cast<std::size_t>(i)];
  }
  return zeta;
}

reals gauss_lobatto_weights(const reals& zeta) {
  const int order = static_cast<int>(zeta.size()) - 1;
  reals weight;
  for (const real x : zeta) {
    const real p = legendre(order, x).first;
    weight.push_back(2 / (order * (order + 1) * p * p));
  }
  return weight;
}

/// l_j(x)
real lagrange(const reals& zeta, std::size_t j, real x) {
  real value = 1;
  for (std::size_t m = 0; m < zeta.size(); ++m)
    if (m != j) value *= (x - zeta[m]) / (zeta[j] - zeta[m]);
  return value;
}

/// l_j'(x)
real lagrange_slope(const reals& zeta, std::size_t j, real x) {
  real sum = 0;
  for (std::size_t n = 0; n < zeta.size(); ++n) {
    if (n == j) continue;
    real product = 1 / (zeta[j] - zeta[n]);
    for (std::size_t m = 0; m < zeta.size(); ++m)
      if (m != j && m != n) product *= (x - zeta[m]) / (zeta[j] - zeta[m]);
    sum += product;
  }
  return sum;
}

real stiffness_of(const reals& zeta, const reals& weight, std::size_t i, std::size_t j) {
  real sum = 0;
  for (std::size_t p = 0; p < zeta.size(); ++p)
    sum += weight[p] * lagrange_slope(zeta, i, zeta[p]) * lagrange_slope(zeta, j, zeta[p]);
  return sum;
}

/// Solves a x = b for the columns of b in place (no pivot is small here: each is a product of differences between
/// points).
void solve(table a, table& b) {
  const int rows = a.rows(), columns = b.columns();
  for (int c = 0; c < rows; ++c)
    for (int r = 0; r < rows; ++r) {
      if (r == c) continue;
      const real factor = a[r][c] / a[c][c];
      for (int k = 0; k < rows; ++k) a[r][k] -= factor * a[c][k];
      for (int k = 0; k < columns; ++k) b[r][k] -= factor * b[c][k];
    }
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < columns; ++k) b[r][k] /= a[r][r];
}

/// Rows: test function x^r. Integrals of u psi over the interval (interior values on the left, its ends on the right)
/// and of phi psi over both halves; the quadrature is exact for all of them.
table projection_of(const point_counts& counts, const reals& zeta, const reals& weight) {
  const int order = counts.order, inner = counts.inner();
  table left(inner, inner), right(inner, counts.line());
  for (int r = 0; r < inner; ++r) {
    for (std::size_t i = 0; i < zeta.size() - 2; ++i) left[r][i] = weight[i + 1] * std::pow(zeta[i + 1], real(r));
    for (int half = 0; half < 2; ++half)
      for (std::size_t q = 0; q < zeta.size(); ++q)
        right[r][static_cast<std::size_t>(order * half) + q] +=
            weight[q] / 2 * std::pow((zeta[q] + 2 * half - 1) / 2, real(r));
    right[r][0] -= weight.front() * std::pow(zeta.front(), real(r));
    right[r][counts.line() - 1] -= weight.back() * std::pow(zeta.back(), real(r));
  }
  solve(left, right);
  return right;
}

operators derive(int order) {
  const point_counts counts{order};
  const int points = counts.points();
  const reals zeta = gauss_lobatto(order), weight = gauss_lobatto_weights(zeta);
  const auto square = [&] { return matrix(points, points); };
  operators made{counts, {}, {}, square(), square(), {square(), square()}, {}, square(), {}};
  for (std::size_t i = 0; i < zeta.size(); ++i) {
    made.zeta.push_back(static_cast<double>(zeta[i]));
    made.weight.push_back(static_cast<double>(weight[i]));
    const int half = 2 * static_cast<int>(i) > order ? 1 : 0;
    made.coarsen_half.push_back(half);
    for (std::size_t j = 0; j < zeta.size(); ++j) {
      made.derivative[i][j] = static_cast<double>(lagrange_slope(zeta, j, zeta[i]));
      made.stiffness[i][j] = static_cast<double>(stiffness_of(zeta, weight, i, j));
      for (std::size_t s = 0; s < 2; ++s)
        made.refine[s][i][j] = static_cast<double>(lagrange(zeta, j, (zeta[i] + 2 * real(s) - 1) / 2));
      made.coarsen[i][j] = static_cast<double>(lagrange(zeta, j, 2 * zeta[i] + 1 - 2 * half));
    }
  }
  const table projection = projection_of(counts, zeta, weight);
  made.projection = matrix(counts.inner(), counts.line());
  for (int i = 0; i < counts.inner(); ++i)
    for (int j = 0; j < counts.line(); ++j) made.projection[i][j] = static_cast<double>(projection[i][j]);
  return made;
}

}  // namespace

const operators& ops(int order) {
  return with_order(order, [](auto n) -> const operators& {
    static const operators derived = derive(n);
    return derived;
  });
}

}  // namespace adaptive_heat
