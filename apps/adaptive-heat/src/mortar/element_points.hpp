// SPDX-License-Identifier: BSD-3-Clause
// The mortar points that an element refers to: its own, and those that split edges and faces are projected from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mortar/layout.hpp>

namespace adaptive_heat {

/// Calls visit(place of the point), entity by entity; a point that several split ones need comes several times.
template <class Visit>
void for_points_of(const mortar_layout& layout, const leaf_shape& shape, std::size_t element, Visit&& visit) {
  for (int e = 0; e < entities; ++e) {
    const std::int32_t place = layout.places[element][static_cast<std::size_t>(e)];
    if (!is_split(shape, e))
      for (int p = 0; p < layout.counts.of_entity(e); ++p) visit(place + p);
    else if (e < first_face)
      for (const std::int32_t p : layout.edge_traces.at_place(place).points) visit(p);
    else
      for (const std::int32_t p : layout.face_traces.at_place(place).points) visit(p);
  }
}

}  // namespace adaptive_heat
