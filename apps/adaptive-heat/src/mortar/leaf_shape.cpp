// SPDX-License-Identifier: BSD-3-Clause
// What of the sides of leaves matters to mortars.
#include <mortar/leaf_shape.hpp>

namespace adaptive_heat {

std::vector<leaf_shape> shapes_of(std::span<const leaf_sides> sides) {
  std::vector<leaf_shape> shapes;
  shapes.reserve(sides.size());
  for (const leaf_sides& s : sides) {
    unsigned split = 0;
    for (std::size_t f = 0; f < s.faces.size(); ++f) split |= s.faces[f] == face_type::smaller ? 1U << f : 0;
    shapes.push_back({s.split_edges, static_cast<std::uint8_t>(split)});
  }
  return shapes;
}

}  // namespace adaptive_heat
