// SPDX-License-Identifier: BSD-3-Clause
// The one-dimensional operators of a spectral element with five Gauss-Lobatto-Legendre points.
#pragma once

#include <array>

namespace adaptive_heat {

constexpr int points = 5;                         ///< per direction
constexpr int volume = points * points * points;  ///< points of an element, x fastest
constexpr int interior_points = 27;
constexpr int mortar_points = 2 * points - 1;  ///< of the two finer lines on one coarse line

using line = std::array<double, points>;
using square_matrix = std::array<line, points>;

/// Derived from the definitions at the first use, in long double; all on the reference interval [-1, 1].
struct operators {
  line zeta;                 ///< the points
  line weight;               ///< of the quadrature
  square_matrix derivative;  ///< [i][j] = l_j'(zeta_i), l_j the Lagrange polynomials of the points
  square_matrix stiffness;   ///< [i][j] = sum over p of w_p l_i'(zeta_p) l_j'(zeta_p)
  /// refine[s][i][j] = l_j at point i of half s of the interval.
  std::array<square_matrix, 2> refine;
  /// Values of the whole at its points are those of coarsen_half[i], there evaluated with the row coarsen[i].
  std::array<int, points> coarsen_half;
  square_matrix coarsen;
  /// projection[i][j]: interior value i of the coarse line from the nine values of the two finer ones: ends equal, and the
  /// difference orthogonal to polynomials of degree 2. Source: the mortar condition of NPB UA (Feng and others, 2006).
  std::array<std::array<double, mortar_points>, 3> projection;
};

const operators& ops();

}  // namespace adaptive_heat
