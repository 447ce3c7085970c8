// SPDX-License-Identifier: BSD-3-Clause
// One pass along the curve over the old and the new leaves.
#include <mesh/origins.hpp>

namespace adaptive_heat {

change_counts trace_origins(const codes& old, const codes& leaves, std::vector<origin>& origins) {
  origins.clear();
  std::int64_t from_split = 0, from_merged = 0, split = 0, merged = 0;
  std::size_t o = 0;
  std::uint64_t last_split = code_of(key_end, 0);
  for (const std::uint64_t leaf : leaves) {
    const auto first = static_cast<std::uint32_t>(o);
    if (old[o] == leaf) {
      origins.push_back({first, 1, origin_kind::same});
      ++o;
    } else if (level_of(old[o]) < level_of(leaf)) {
      origins.push_back({first, 1, origin_kind::refined});
      ++from_split;
      if (old[o] != last_split) ++split;
      last_split = old[o];
      if (end_key_of(leaf) == end_key_of(old[o])) ++o;
    } else {
      while (o < old.size() && key_of(old[o]) < end_key_of(leaf)) ++o;
      const auto count = static_cast<std::uint32_t>(o) - first;
      origins.push_back({first, count, origin_kind::merged});
      ++merged;
      from_merged += count;
    }
  }
  // Each split and each merge changes the number of leaves by seven.
  return {(from_split - split) / 7, (from_merged - merged) / 7};
}

}  // namespace adaptive_heat
