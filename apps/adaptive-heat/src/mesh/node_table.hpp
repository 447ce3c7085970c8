// SPDX-License-Identifier: BSD-3-Clause
// Which nodes of a piece of the octree are refined, and which of their children are.
#pragma once

#include <array>
#include <mesh/node_list.hpp>
#include <span>
#include <vector>

namespace adaptive_heat {

/// A hash table of the refined nodes above some leaves. Made again for each mesh in the same memory.
class node_table {
 public:
  struct node {
    std::uint64_t code = 0;
    std::uint64_t split_children = 0;  ///< bit c: child c is refined too
  };

  /// Takes all ancestors of the leaves, which lie in Morton order and need not fill the cube. @cost one pass
  void build(std::span<const std::uint64_t> leaves);

  /// The node, or nullptr if it is not refined (as far as the leaves show).
  const node* find(std::uint64_t code) const noexcept {
    for (std::size_t i = slot(code);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].code == code) return &slots_[i];
      if (slots_[i].code == empty) return nullptr;
    }
  }

 private:
  static constexpr std::uint64_t empty = ~std::uint64_t{0};
  std::size_t slot(std::uint64_t code) const noexcept {
    return static_cast<std::size_t>(code * 0x9e3779b97f4a7c15U >> shift_);  // Fibonacci hashing (Knuth, vol. 3, 6.4)
  }
  void open(std::uint64_t leaf, int common);
  void fill_slots();

  std::vector<node> nodes_;
  std::array<std::size_t, max_level + 1> opened_{};  ///< by level, the node that contains the leaf at hand
  std::vector<node> slots_;                          ///< twice as many as nodes at least, a power of two
  int shift_ = 63;
};

}  // namespace adaptive_heat
