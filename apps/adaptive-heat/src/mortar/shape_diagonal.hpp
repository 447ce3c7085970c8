// SPDX-License-Identifier: BSD-3-Clause
// What an element with split edges and faces adds to the diagonal of the assembled matrix.
#pragma once

#include <cstdint>
#include <mortar/entity_table.hpp>
#include <mortar/layout.hpp>
#include <mortar/leaf_shape.hpp>
#include <span>
#include <vector>

namespace adaptive_heat {

/// A column q of an element's Q makes visc h / 2 · stiffness + (h / 2)^3 / dt · mass of q^T A q.
struct diagonal_part {
  double stiffness, mass;
};

/// Of the points of an element's own, by their position among its boundary points, where no edge is split.
const std::array<diagonal_part, boundary_points>& plain_diagonal();
/// The inverse diagonals of inner points are of these four, by interior_kind.
std::array<diagonal_part, interior_kinds> interior_diagonal();

/// What an entity of an element adds depends on few of the element's edges and faces, so there are few cases: each is worked out when it
/// is met for the first time, and kept.
class shape_diagonals {
 public:
  struct parts_of_shape {
    std::uint32_t affected =
        0;  ///< bits: entities that have other parts than where nothing is split: see plain_diagonal()
    std::array<std::int16_t, entities> part{};  ///< of those: for part()
  };
  /// The reference is valid until the next call.
  const parts_of_shape& of(const leaf_shape& shape);
  /// Of the mortars of an affected entity in the order of for_each_mortar_of().
  std::span<const diagonal_part> part(std::int16_t number) const noexcept {
    return parts_[static_cast<std::size_t>(number)];
  }

 private:
  std::int16_t part_at(const leaf_shape& shape, int entity);

  entity_table shapes_, cases_;
  std::vector<parts_of_shape> known_;
  std::vector<std::vector<diagonal_part>> parts_;
};

/// One entry of Q: boundary point `point` gets `factor` times mortar `mortar`. Mortars go entity by entity, each in the order of
/// for_each_mortar_of().
struct projection_entry {
  int point, mortar;
  double factor;
};
/// Q of an element of that shape, and how many mortars there are. Entries of the same place add up.
struct shape_projection {
  int mortars = 0;
  std::array<int, entities> first{};  ///< mortar of each entity
  std::vector<projection_entry> entries;
};
shape_projection projection_of(const leaf_shape& shape);

/// Calls act(place in mortar vectors) once for every mortar point of entity e of element n: its own points, of a split edge the 7 inner
/// mortar points, of a split face the 49 inner ones.
template <class Act>
void for_each_mortar_of(const mortar_layout& layout, std::size_t n, const leaf_shape& shape, int e, Act&& act) {
  const std::int32_t place = layout.places[n][static_cast<std::size_t>(e)];
  if (e >= first_face && (shape.split_faces >> (e - first_face) & 1) != 0) {
    const index faces_begin = layout.traces_begin + 3 * static_cast<index>(layout.edge_traces.size());
    const face_trace& t = layout.face_traces[static_cast<std::size_t>((place - faces_begin) / 9)];
    for (std::size_t b = 1; b < 8; ++b)
      for (std::size_t a = 1; a < 8; ++a) act(t.points[9 * b + a]);
  } else if (e >= first_edge && e < first_face && (shape.split_edges >> (e - first_edge) & 1) != 0) {
    const edge_trace& t = layout.edge_traces[static_cast<std::size_t>((place - layout.traces_begin) / 3)];
    for (std::size_t a = 1; a < 8; ++a) act(t.points[a]);
  } else {
    for (int p = 0; p < entity_points(e); ++p) act(place + p);
  }
}

}  // namespace adaptive_heat
