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
std::vector<diagonal_part> plain_diagonal(int order);
/// The inverse diagonals of inner points are of these, by interior_kind.
std::vector<diagonal_part> interior_diagonal(int order);

/// What an entity of an element adds depends on few of the element's edges and faces, so there are few cases: each is
/// worked out when it is met for the first time, and kept.
class shape_diagonals {
 public:
  explicit shape_diagonals(int order) : order_(order) {}
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

  int order_;
  entity_table shapes_, cases_;
  std::vector<parts_of_shape> known_;
  std::vector<std::vector<diagonal_part>> parts_;
};

/// One entry of Q: boundary point `point` gets `factor` times mortar `mortar`. Mortars go entity by entity, each in the
/// order of for_each_mortar_of().
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
shape_projection projection_of(int order, const leaf_shape& shape);

/// Calls act(place in mortar vectors) once for every mortar point of entity e of element n: its own points, of a split
/// edge or face the inner mortar points.
template <class Act>
void for_each_mortar_of(const mortar_layout& layout, std::size_t n, const leaf_shape& shape, int e, Act&& act) {
  const std::int32_t place = layout.places[n][static_cast<std::size_t>(e)];
  const auto line = static_cast<std::size_t>(layout.counts.line());
  if (!is_split(shape, e)) {
    for (int p = 0; p < layout.counts.of_entity(e); ++p) act(place + p);
  } else if (e < first_face) {
    const auto points = layout.edge_traces.at_place(place).points;
    for (std::size_t a = 1; a + 1 < line; ++a) act(points[a]);
  } else {
    const auto points = layout.face_traces.at_place(place).points;
    for (std::size_t b = 1; b + 1 < line; ++b)
      for (std::size_t a = 1; a + 1 < line; ++a) act(points[line * b + a]);
  }
}

}  // namespace adaptive_heat
