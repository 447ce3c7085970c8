// SPDX-License-Identifier: BSD-3-Clause
// Counts faces that are not split.
#include <mortar/shape_weights.hpp>

namespace adaptive_heat {

entity_weights weights_of(const leaf_shape& shape) noexcept {
  const auto is_whole = [&](int f) { return (shape.split_faces >> f & 1) == 0; };
  entity_weights weights{};
  for (int e = 0; e < entities; ++e) {
    std::uint8_t& weight = weights[static_cast<std::size_t>(e)];
    if (e >= first_face) {
      weight = is_whole(e - first_face) ? weight_unit : 0;
      continue;
    }
    if (e >= first_edge && (shape.split_edges >> (e - first_edge) & 1) != 0) continue;
    int around = 0;
    for (int f = 0; f < faces; ++f)
      if (is_whole(f) && (e < first_edge ? vertex_is_on_face(e, f) : edge_is_on_face(e - first_edge, f))) ++around;
    weight = static_cast<std::uint8_t>(around * weight_unit / (e < first_edge ? 3 : 2));
  }
  return weights;
}

}  // namespace adaptive_heat
