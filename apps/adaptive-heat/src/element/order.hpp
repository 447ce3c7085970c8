// SPDX-License-Identifier: BSD-3-Clause
// How many points an element of some polynomial order has: constants for the kernels, numbers at run time for all else.
#pragma once

#include <algorithm>
#include <type_traits>

namespace adaptive_heat {

constexpr int least_order = 2, most_order = 8;
constexpr int usual_order = 4;  ///< of the benchmark

constexpr int vertices = 8, edges = 12, faces = 6, entities = vertices + edges + faces;
constexpr int first_edge = vertices, first_face = vertices + edges;  ///< among the entities

/// 0 for a vertex, 1 for an edge, 2 for a face.
constexpr int dimension_of(int entity) { return entity < first_edge ? 0 : entity < first_face ? 1 : 2; }

struct point_counts {
  int order = usual_order;

  constexpr int points() const { return order + 1; }  ///< per direction
  constexpr int inner() const { return order - 1; }   ///< of a line, without its ends
  constexpr int volume() const { return points() * points() * points(); }
  constexpr int interior() const { return inner() * inner() * inner(); }
  constexpr int boundary() const { return volume() - interior(); }
  /// Places of an element in memory: three vectors of interior points lodge where its boundary is, and behind the
  /// volume where that is too small for them.
  constexpr int stored() const { return std::max(volume(), 4 * interior()); }
  constexpr int line() const { return 2 * order + 1; }     ///< mortar points of the two finer lines on one coarse line
  constexpr int grid() const { return line() * line(); }   ///< and of the four finer faces on one coarse face
  constexpr int inner_line() const { return line() - 2; }  ///< without its ends

  /// Unknowns of an entity on mortars: its own points without those of smaller entities.
  constexpr int of_dimension(int dimension) const {
    return dimension == 0 ? 1 : dimension == 1 ? inner() : inner() * inner();
  }
  constexpr int of_entity(int entity) const { return of_dimension(dimension_of(entity)); }
  /// Position of an entity's first point among the boundary points of an element, which go entity by entity.
  constexpr int offset(int entity) const {
    return entity < first_edge   ? entity
           : entity < first_face ? vertices + of_dimension(1) * (entity - first_edge)
                                 : vertices + of_dimension(1) * edges + of_dimension(2) * (entity - first_face);
  }
  /// Coordinate 0 … order of a point of an element, x fastest.
  constexpr int coordinate(int point, int axis) const {
    return axis == 0 ? point % points() : axis == 1 ? point / points() % points() : point / (points() * points());
  }
  constexpr bool operator==(const point_counts&) const = default;
};

/// Calls act(std::integral_constant<int, order>) with a constant for a number. @pre least_order <= order <= most_order
template <int N = least_order, class Act>
decltype(auto) with_order(int order, Act&& act) {
  if constexpr (N < most_order)
    if (order > N) return with_order<N + 1>(order, act);
  return act(std::integral_constant<int, N>{});
}

}  // namespace adaptive_heat
