// SPDX-License-Identifier: BSD-3-Clause
// The 26 entities on the boundary of an element (8 vertices, 12 edges, 6 faces) and their points.
#pragma once

#include <algorithm>
#include <array>
#include <element/order.hpp>
#include <span>

namespace adaptive_heat {

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

/// Numbers of the points of an element of order N, of which x is fastest.
template <int N>
struct point_lists {
  static constexpr point_counts counts{N};
  static constexpr int at(std::array<int, 3> ijk) {
    return ijk[0] + counts.points() * (ijk[1] + counts.points() * ijk[2]);
  }

  /// Of its boundary points, entity by entity.
  static constexpr auto boundary = [] {
    std::array<int, counts.boundary()> table{};
    std::size_t n = 0;
    for (int v = 0; v < vertices; ++v)
      table[n++] = at({N * vertex_side(v, 0), N * vertex_side(v, 1), N * vertex_side(v, 2)});
    for (const edge_place& e : edge_places)
      for (int q = 1; q < N; ++q) {
        std::array<int, 3> ijk{N * e.side[0], N * e.side[1], N * e.side[2]};
        ijk[static_cast<std::size_t>(e.axis)] = q;
        table[n++] = at(ijk);
      }
    for (int f = 0; f < faces; ++f)
      for (int b = 1; b < N; ++b)
        for (int a = 1; a < N; ++a) {
          std::array<int, 3> ijk{};
          ijk[static_cast<std::size_t>(face_axis(f))] = N * face_side(f);
          ijk[static_cast<std::size_t>(first_axis_of_face(f))] = a;
          ijk[static_cast<std::size_t>(second_axis_of_face(f))] = b;
          table[n++] = at(ijk);
        }
    return table;
  }();

  /// Of its interior points, x fastest.
  static constexpr auto interior = [] {
    std::array<int, counts.interior()> table{};
    std::size_t n = 0;
    for (int k = 1; k < N; ++k)
      for (int j = 1; j < N; ++j)
        for (int i = 1; i < N; ++i) table[n++] = at({i, j, k});
    return table;
  }();

  /// Diagonals of interior points depend on how far they are from the nearest ends along each axis, in any order of the
  /// axes: a number for each such triple, 0 … kinds - 1.
  static constexpr auto interior_kind = [] {
    std::array<int, counts.interior()> table{};
    for (std::size_t n = 0; n < table.size(); ++n) {
      std::array<int, 3> d{};
      for (int axis = 0; axis < 3; ++axis) {
        const int c = counts.coordinate(interior[n], axis);
        d[static_cast<std::size_t>(axis)] = std::min(c, N - c) - 1;
      }
      std::sort(d.begin(), d.end());
      table[n] = d[2] * (d[2] + 1) * (d[2] + 2) / 6 + d[1] * (d[1] + 1) / 2 + d[0];
    }
    return table;
  }();
  static constexpr int kinds = *std::max_element(interior_kind.begin(), interior_kind.end()) + 1;
};

/// The same for an order that is known at run time only.
struct point_list_view {
  std::span<const int> boundary, interior, interior_kind;
  int kinds;
};
inline point_list_view points_of(int order) {
  return with_order(order, [](auto n) -> point_list_view {
    using lists = point_lists<n>;
    return {lists::boundary, lists::interior, lists::interior_kind, lists::kinds};
  });
}

}  // namespace adaptive_heat
