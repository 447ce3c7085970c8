// SPDX-License-Identifier: BSD-3-Clause
// The 26 entities on the boundary of an element (8 vertices, 12 edges, 6 faces) and their points.
#pragma once

#include <array>

#include <element/operators.hpp>

namespace adaptive_heat {

constexpr int vertices = 8, edges = 12, faces = 6, entities = vertices + edges + faces;
constexpr int boundary_points = volume - interior_points;
constexpr int first_edge = vertices, first_face = vertices + edges;  ///< among the entities

/// An edge runs along `axis`; of the other two coordinates, in ascending order of axes, each is low (0) or high (1).
struct edge_place {
  int axis;
  std::array<int, 3> side;  ///< of the axis itself: 0
};
/// In the numbering of NPB UA, from 0.
constexpr std::array<edge_place, edges> edge_places{{{1, {1, 0, 0}},
                                                     {2, {1, 1, 0}},
                                                     {1, {1, 0, 1}},
                                                     {2, {1, 0, 0}},
                                                     {1, {0, 0, 0}},
                                                     {2, {0, 1, 0}},
                                                     {1, {0, 0, 1}},
                                                     {2, {0, 0, 0}},
                                                     {0, {0, 1, 0}},
                                                     {0, {0, 1, 1}},
                                                     {0, {0, 0, 0}},
                                                     {0, {0, 0, 1}}}};

/// Faces are +x, -x, +y, -y, +z, -z; points of a face are numbered with the lower of its two axes first.
constexpr int face_axis(int face) { return face / 2; }
constexpr int face_side(int face) { return face % 2 == 0 ? 1 : 0; }
constexpr int first_axis_of_face(int face) { return face_axis(face) == 0 ? 1 : 0; }
constexpr int second_axis_of_face(int face) { return face_axis(face) == 2 ? 1 : 2; }
constexpr int vertex_side(int vertex, int axis) { return vertex >> axis & 1; }

constexpr bool edge_is_on_face(int edge, int face) {
  const edge_place& place = edge_places[static_cast<std::size_t>(edge)];
  const int axis = face_axis(face);
  return place.axis != axis && place.side[static_cast<std::size_t>(axis)] == face_side(face);
}
constexpr bool vertex_is_on_face(int vertex, int face) {
  return vertex_side(vertex, face_axis(face)) == face_side(face);
}

/// Unknowns of an entity on mortars: its own points without those of smaller entities.
constexpr int entity_points(int entity) { return entity < first_edge ? 1 : entity < first_face ? 3 : 9; }
/// Position of an entity's first point among the boundary points of an element, which go entity by entity.
constexpr int entity_offset(int entity) {
  return entity < first_edge   ? entity
         : entity < first_face ? vertices + 3 * (entity - first_edge)
                               : vertices + 3 * edges + 9 * (entity - first_face);
}

constexpr int point_at(std::array<int, 3> ijk) { return ijk[0] + points * (ijk[1] + points * ijk[2]); }

/// Point of an element for each of its boundary points.
constexpr std::array<int, boundary_points> make_boundary_volume() {
  std::array<int, boundary_points> table{};
  std::size_t n = 0;
  for (int v = 0; v < vertices; ++v)
    table[n++] = point_at({4 * vertex_side(v, 0), 4 * vertex_side(v, 1), 4 * vertex_side(v, 2)});
  for (const edge_place& e : edge_places)
    for (int q = 1; q < 4; ++q) {
      std::array<int, 3> at{4 * e.side[0], 4 * e.side[1], 4 * e.side[2]};
      at[static_cast<std::size_t>(e.axis)] = q;
      table[n++] = point_at(at);
    }
  for (int f = 0; f < faces; ++f)
    for (int b = 1; b < 4; ++b)
      for (int a = 1; a < 4; ++a) {
        std::array<int, 3> at{};
        at[static_cast<std::size_t>(face_axis(f))] = 4 * face_side(f);
        at[static_cast<std::size_t>(first_axis_of_face(f))] = a;
        at[static_cast<std::size_t>(second_axis_of_face(f))] = b;
        table[n++] = point_at(at);
      }
  return table;
}
constexpr std::array<int, boundary_points> boundary_volume = make_boundary_volume();

/// Point of an element for each of its interior points, x fastest.
constexpr std::array<int, interior_points> make_interior_volume() {
  std::array<int, interior_points> table{};
  std::size_t n = 0;
  for (int k = 1; k < 4; ++k)
    for (int j = 1; j < 4; ++j)
      for (int i = 1; i < 4; ++i) table[n++] = point_at({i, j, k});
  return table;
}
constexpr std::array<int, interior_points> interior_volume = make_interior_volume();

/// How many of an interior point's three coordinates are 0: diagonals of interior points depend on nothing else.
constexpr std::array<int, interior_points> make_interior_kind() {
  std::array<int, interior_points> table{};
  for (int n = 0; n < interior_points; ++n)
    table[static_cast<std::size_t>(n)] = (n % 3 == 1) + (n / 3 % 3 == 1) + (n / 9 == 1);
  return table;
}
constexpr std::array<int, interior_points> interior_kind = make_interior_kind();
constexpr int interior_kinds = 4;

}  // namespace adaptive_heat
