// SPDX-License-Identifier: BSD-3-Clause
// The one-dimensional operators of a spectral element of order N, which has N + 1 Gauss-Lobatto-Legendre points per
// direction.
#pragma once

#include <array>
#include <element/matrix.hpp>
#include <element/order.hpp>
#include <vector>

namespace adaptive_heat {

using matrix = dense_matrix<double>;

/// Derived from the definitions at the first use, in long double; all on the reference interval [-1, 1].
struct operators {
  point_counts counts;
  std::vector<double> zeta;    ///< the points
  std::vector<double> weight;  ///< of the quadrature
  matrix derivative;           ///< [i][j] = l_j'(zeta_i), l_j the Lagrange polynomials of the points
  matrix stiffness;            ///< [i][j] = sum over p of w_p l_i'(zeta_p) l_j'(zeta_p)
  /// refine[s][i][j] = l_j at point i of half s of the interval.
  std::array<matrix, 2> refine;
  /// Values of the whole at its points are those of coarsen_half[i], there evaluated with the row coarsen[i].
  std::vector<int> coarsen_half;
  matrix coarsen;
  /// projection[i][j]: interior value i of the coarse line from the 2 N + 1 values of the two finer ones: ends equal,
  /// and the difference orthogonal to polynomials of degree N - 2. Source: the mortar condition of NPB UA (Feng and
  /// others, 2006).
  matrix projection;

  /// Of the quadrature over an element the weights along the axes, for a point of it.
  std::array<double, 3> weights_at(int point) const {
    const auto of = [&](int axis) { return weight[static_cast<std::size_t>(counts.coordinate(point, axis))]; };
    return {of(0), of(1), of(2)};
  }
};

/// @pre least_order <= order <= most_order
const operators& ops(int order);

}  // namespace adaptive_heat
