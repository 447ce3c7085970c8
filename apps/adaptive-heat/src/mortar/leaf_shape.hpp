// SPDX-License-Identifier: BSD-3-Clause
// Which edges and faces of a leaf have finer elements on them.
#pragma once

#include <cstdint>
#include <element/entities.hpp>
#include <mesh/leaf_sides.hpp>
#include <mesh/octant.hpp>
#include <span>
#include <vector>

namespace adaptive_heat {

/// Edges and faces by their NPB numbers from 0, as bits. All four edges of a split face are split.
struct leaf_shape {
  std::uint16_t split_edges = 0;  ///< one of the three other octants of this level around the edge is refined
  std::uint8_t split_faces = 0;   ///< the octant of this level beyond the face is refined

  bool is_plain() const noexcept { return split_edges == 0; }
  std::uint32_t bits() const noexcept { return static_cast<std::uint32_t>(split_edges | split_faces << 12); }
  bool operator==(const leaf_shape&) const = default;
};

/// Of an element's entities, that one: it has no points of its own then.
constexpr bool is_split(const leaf_shape& shape, int entity) {
  return entity >= first_face   ? (shape.split_faces >> (entity - first_face) & 1) != 0
         : entity >= first_edge ? (shape.split_edges >> (entity - first_edge) & 1) != 0
                                : false;
}

std::vector<leaf_shape> shapes_of(std::span<const leaf_sides> sides);

}  // namespace adaptive_heat
