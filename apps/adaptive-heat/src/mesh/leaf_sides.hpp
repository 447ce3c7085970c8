// SPDX-License-Identifier: BSD-3-Clause
// What lies at the faces and edges of each leaf: the cube's surface, or leaves that are larger, of the same size or smaller.
#pragma once

#include <array>
#include <cstdint>
#include <mesh/node_list.hpp>
#include <span>
#include <vector>

namespace adaptive_heat {

/// The numbers are those of NPB's array cbc.
enum class face_type : std::uint8_t { boundary = 0, larger = 1, same = 2, smaller = 3 };

struct leaf_sides {
  std::array<face_type, 6> faces{};  ///< in the order of face_directions
  std::uint16_t split_edges =
      0;  ///< bit e: edge e (order of edge_directions) is nonconforming: a leaf that shares it is smaller

  bool is_edge_split(int edge) const noexcept { return (split_edges >> edge & 1) != 0; }
  bool operator==(const leaf_sides&) const = default;
};

/// Finds the sides of the leaves [first, last) of `around`, which has these and all leaves that touch them, in Morton order. Local.
/// @pre  levels across faces and edges differ by one at most
/// @cost 18 searches per octet of siblings
void find_leaf_sides(std::span<const std::uint64_t> around, std::size_t first, std::size_t last,
                     std::vector<leaf_sides>& sides);

}  // namespace adaptive_heat
