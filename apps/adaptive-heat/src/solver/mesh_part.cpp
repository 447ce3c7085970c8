// SPDX-License-Identifier: BSD-3-Clause
// Cuts a list of leaves into ranks' parts.
#include <algorithm>
#include <solver/mesh_part.hpp>

namespace adaptive_heat {

mesh_part cut_mesh(const nearfar::team& members, std::span<const octant> all) {
  const auto ranks = static_cast<std::size_t>(members.size());
  std::vector<std::size_t> cuts(ranks + 1);
  for (std::size_t r = 0; r <= ranks; ++r) cuts[r] = r * (all.size() / ranks) + std::min(r, all.size() % ranks);
  return cut_mesh(members, all, cuts);
}

mesh_part cut_mesh(const nearfar::team& members, std::span<const octant> all, std::span<const std::size_t> cuts) {
  const auto rank = static_cast<std::size_t>(members.rank());
  const auto own = all.subspan(cuts[rank], cuts[rank + 1] - cuts[rank]);
  mesh_part part{{own.begin(), own.end()}, shapes_of(own, all), {}, static_cast<std::int64_t>(all.size())};
  for (const std::size_t cut : cuts) part.first_key.push_back(cut < all.size() ? all[cut].key() : key_end);
  return part;
}

}  // namespace adaptive_heat
