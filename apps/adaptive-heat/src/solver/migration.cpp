// SPDX-License-Identifier: BSD-3-Clause
// Sends every old leaf to the ranks whose cells it overlaps.
#include <algorithm>
#include <base/list_exchange.hpp>
#include <solver/migration.hpp>

namespace adaptive_heat {
namespace {

struct letter {
  std::uint64_t code;
  element_values values;
};

}  // namespace

std::vector<old_leaf> migrate(const nearfar::team& members, std::vector<old_leaf> old, const mesh_part& fresh) {
  if (members.size() == 1) return old;
  rank_lists<letter> out(members.size());
  auto first = old.begin();
  for (std::size_t r = 0; r < static_cast<std::size_t>(members.size()); ++r) {
    const std::uint64_t begin = fresh.first_key[r], end = fresh.first_key[r + 1];
    while (first != old.end() && first->where.end_key() <= begin) ++first;
    for (auto leaf = first; begin < end && leaf != old.end() && leaf->where.key() < end; ++leaf)
      out.records.push_back({leaf->where.code(), leaf->values});
    out.first[r + 1] = static_cast<std::int64_t>(out.records.size());
  }
  const rank_lists<letter> in = exchange_lists(members, out);
  std::vector<old_leaf> got;
  got.reserve(in.records.size());
  for (const letter& l : in.records) got.push_back({octant::from_code(l.code), l.values});
  return got;
}

}  // namespace adaptive_heat
