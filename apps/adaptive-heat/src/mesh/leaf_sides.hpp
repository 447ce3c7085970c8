// SPDX-License-Identifier: BSD-3-Clause
// What lies at the faces and edges of each leaf: the cube's surface, or leaves that are larger, of the same size or
// smaller.
#pragma once

#include <array>
#include <cstdint>
#include <mesh/node_table.hpp>
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

/// Finds the sides of leaves, again and again in the same memory.
class side_finder {
 public:
  /// Finds the sides of the leaves [first, last) of `around`, which has these and all leaves that touch them, in Morton
  /// order. Local.
  /// @pre  levels across faces and edges differ by one at most
  /// @cost one pass over `around`, and 19 look-ups in a hash table per octet of siblings
  void find(std::span<const std::uint64_t> around, std::size_t first, std::size_t last, std::vector<leaf_sides>& sides);

 private:
  /// What is known of a cube of the parent's size, the parent itself or one around it.
  struct block {
    bool is_outside = true;
    bool is_leaf = false;              ///< of its own size or larger
    std::uint64_t split_children = 0;  ///< bit c: child c is refined
  };

  void look_around(const octant& parent);
  leaf_sides sides_of(std::size_t child) const;

  node_table refined_;
  std::array<block, 27> blocks_{};  ///< by (x + 1) + 3 (y + 1) + 9 (z + 1)
  bool is_plain_ = false;           ///< all blocks are refined once and not further
};

}  // namespace adaptive_heat
