// SPDX-License-Identifier: BSD-3-Clause
// Parts of a mesh that every rank knows, cut anywhere; what is at the sides of leaves by looking at all leaves.
#pragma once

#include <algorithm>
#include <element/entities.hpp>
#include <solver/mesh_part.hpp>

namespace adaptive_heat::test {

/// Whether the leaf that has the first cell of `o` is smaller.
inline bool is_refined(const octant& o, std::span<const octant> all) {
  const auto after =
      std::partition_point(all.begin(), all.end(), [&](const octant& leaf) { return leaf.key() <= o.key(); });
  return after != all.begin() && std::prev(after)->level > o.level;
}

inline leaf_shape shape_in(const octant& o, std::span<const octant> all) {
  unsigned split_faces = 0, split_edges = 0;
  for (unsigned f = 0; f < 6; ++f)
    if (o.has_neighbour(face_directions[f]) && is_refined(o.neighbour(face_directions[f]), all)) split_faces |= 1U << f;
  for (unsigned e = 0; e < 12; ++e) {
    bool is_split = o.has_neighbour(edge_directions[e]) && is_refined(o.neighbour(edge_directions[e]), all);
    for (unsigned f = 0; f < 6; ++f)
      is_split = is_split || ((split_faces >> f & 1) != 0 && edge_is_on_face(static_cast<int>(e), static_cast<int>(f)));
    if (is_split) split_edges |= 1U << e;
  }
  return {static_cast<std::uint16_t>(split_edges), static_cast<std::uint8_t>(split_faces)};
}

/// Rank r has leaves cuts[r] ... cuts[r + 1] - 1 of `all`, whose shapes are known or looked for.
inline mesh_part cut_mesh(const nearfar::team& members, std::span<const octant> all, std::span<const leaf_shape> shapes,
                          std::span<const std::size_t> cuts) {
  const auto rank = static_cast<std::size_t>(members.rank());
  mesh_part part;
  for (std::size_t n = cuts[rank]; n < cuts[rank + 1]; ++n) {
    part.leaves.push_back(all[n]);
    part.shapes.push_back(shapes.empty() ? shape_in(all[n], all) : shapes[n]);
  }
  for (const std::size_t cut : cuts) part.first_key.push_back(cut < all.size() ? all[cut].key() : key_end);
  part.first_key.front() = 0;
  part.all_leaves = static_cast<std::int64_t>(all.size());
  for (int r = 0; r < members.size(); ++r)
    if (r != members.rank()) part.partners.push_back(r);
  return part;
}

inline mesh_part cut_mesh(const nearfar::team& members, std::span<const octant> all,
                          std::span<const std::size_t> cuts) {
  return cut_mesh(members, all, {}, cuts);
}

inline mesh_part cut_mesh(const nearfar::team& members, std::span<const octant> all) {
  std::vector<std::size_t> cuts;
  for (std::size_t r = 0; r <= static_cast<std::size_t>(members.size()); ++r)
    cuts.push_back(r * all.size() / static_cast<std::size_t>(members.size()));
  return cut_mesh(members, all, cuts);
}

}  // namespace adaptive_heat::test
