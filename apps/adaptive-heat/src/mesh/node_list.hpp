// SPDX-License-Identifier: BSD-3-Clause
// Searching in nodes of the octree that lie in Morton order, as codes (octant::code).
#pragma once

#include <mesh/octant.hpp>
#include <span>
#include <vector>

namespace adaptive_heat {

using codes = std::vector<std::uint64_t>;

constexpr int level_of(std::uint64_t code) noexcept { return static_cast<int>(code & 31); }
constexpr std::uint64_t key_of(std::uint64_t code) noexcept { return code >> 5; }
constexpr std::uint64_t cells_of_level(int level) noexcept { return key_end >> (3 * level); }
constexpr std::uint64_t end_key_of(std::uint64_t code) noexcept {
  return key_of(code) + cells_of_level(level_of(code));
}
constexpr std::uint64_t code_of(std::uint64_t key, int level) noexcept {
  return key << 5 | static_cast<std::uint64_t>(level);
}
/// The node of that level that contains this one. @pre 0 <= coarser <= level_of(code)
constexpr std::uint64_t ancestor_of(std::uint64_t code, int coarser) noexcept {
  return code_of(key_of(code) & ~(cells_of_level(coarser) - 1), coarser);
}
constexpr std::uint64_t parent_of(std::uint64_t code) noexcept { return ancestor_of(code, level_of(code) - 1); }
constexpr int child_index_of(std::uint64_t code) noexcept {
  return static_cast<int>(key_of(code) / cells_of_level(level_of(code)) & 7);
}
/// Child `c` of a node.
constexpr std::uint64_t child_of(std::uint64_t code, int c) noexcept {
  const int level = level_of(code) + 1;
  return code_of(key_of(code) + static_cast<std::uint64_t>(c) * cells_of_level(level), level);
}

/// Position of the first element that is not less; elements ascend. Without branches: which half is next cannot be
/// foretold.
inline std::size_t lower_position(std::span<const std::uint64_t> list, std::uint64_t value) noexcept {
  const std::uint64_t* base = list.data();
  std::size_t n = list.size();
  if (n == 0) return 0;
  while (n > 1) {
    const std::size_t half = n / 2;
    base += (base[half - 1] < value ? 1 : 0) * half;
    n -= half;
  }
  return static_cast<std::size_t>(base - list.data()) + (*base < value ? 1 : 0);
}

inline bool has(std::span<const std::uint64_t> list, std::uint64_t value) noexcept {
  const std::size_t i = lower_position(list, value);
  return i < list.size() && list[i] == value;
}

/// Position of the leaf that contains the cell, or list.size() if none of these does.
inline std::size_t leaf_at(std::span<const std::uint64_t> leaves, std::uint64_t cell) noexcept {
  const std::size_t i = lower_position(leaves, code_of(cell + 1, 0));
  return i > 0 && end_key_of(leaves[i - 1]) > cell ? i - 1 : leaves.size();
}

/// Position of the first leaf that lies strictly inside the node, or leaves.size() if there is none.
inline std::size_t first_inside(std::span<const std::uint64_t> leaves, std::uint64_t node) noexcept {
  const std::size_t i = lower_position(leaves, node + 1);
  return i < leaves.size() && key_of(leaves[i]) < end_key_of(node) ? i : leaves.size();
}

void sort_unique(codes& list);
/// Adds ascending `more` to ascending `list`.
void merge_into(codes& list, const codes& more);

}  // namespace adaptive_heat
