// SPDX-License-Identifier: BSD-3-Clause
// Along the curve, each leaf opens those of its ancestors that the leaf before does not have.
#include <algorithm>
#include <bit>
#include <mesh/node_table.hpp>

namespace adaptive_heat {

namespace {

/// The finest level at which two different cells lie in the same node.
int common_level(std::uint64_t a, std::uint64_t b) {
  return max_level - 1 - (static_cast<int>(std::bit_width(a ^ b)) - 1) / 3;
}

}  // namespace

void node_table::build(std::span<const std::uint64_t> leaves) {
  nodes_.clear();
  int common = -1;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (i > 0) common = common_level(key_of(leaves[i - 1]), key_of(leaves[i]));
    if (common < level_of(leaves[i]) - 1) open(leaves[i], common);
  }
  fill_slots();
}

void node_table::open(std::uint64_t leaf, int common) {
  for (int level = common + 1; level < level_of(leaf); ++level) {
    const std::uint64_t code = ancestor_of(leaf, level);
    const auto l = static_cast<std::size_t>(level);
    if (level > 0) nodes_[opened_[l - 1]].split_children |= std::uint64_t{1} << child_index_of(code);
    opened_[l] = nodes_.size();
    nodes_.push_back({code, 0});
  }
}

void node_table::fill_slots() {
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(2 * nodes_.size(), 2));
  shift_ = 64 - std::countr_zero(size);
  slots_.assign(size, {empty, 0});
  for (const node& n : nodes_) {
    std::size_t i = slot(n.code);
    while (slots_[i].code != empty) i = (i + 1) & (size - 1);
    slots_[i] = n;
  }
}

}  // namespace adaptive_heat
