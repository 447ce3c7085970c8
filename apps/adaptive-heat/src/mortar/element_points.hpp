// SPDX-License-Identifier: BSD-3-Clause
// The mortar points that an element refers to: its own, and those that split edges and faces are projected from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mortar/layout.hpp>

namespace adaptive_heat {

inline const edge_trace& edge_trace_at(const mortar_layout& layout, std::int32_t place) {
  return layout.edge_traces[static_cast<std::size_t>((place - layout.traces_begin) / 3)];
}
inline const face_trace& face_trace_at(const mortar_layout& layout, std::int32_t place) {
  const index begin = layout.traces_begin + 3 * static_cast<index>(layout.edge_traces.size());
  return layout.face_traces[static_cast<std::size_t>((place - begin) / 9)];
}

/// Calls visit(place of the point), entity by entity; a point that several split ones need comes several times.
template <class Visit>
void for_points_of(const mortar_layout& layout, const leaf_shape& shape, std::size_t element, Visit&& visit) {
  for (int e = 0; e < entities; ++e) {
    const std::int32_t place = layout.places[element][static_cast<std::size_t>(e)];
    if (!is_split(shape, e))
      for (int p = 0; p < entity_points(e); ++p) visit(place + p);
    else if (e < first_face)
      for (const std::int32_t p : edge_trace_at(layout, place).points) visit(p);
    else
      for (const std::int32_t p : face_trace_at(layout, place).points) visit(p);
  }
}

}  // namespace adaptive_heat
