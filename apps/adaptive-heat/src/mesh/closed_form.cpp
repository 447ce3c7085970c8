// SPDX-License-Identifier: BSD-3-Clause
// Refined nodes level by level from the finest, then their children that are not refined.
#include <algorithm>
#include <mesh/closed_form.hpp>

namespace adaptive_heat {

namespace {

/// Refined nodes of one level, as codes.
using level_nodes = std::vector<std::uint64_t>;

void make_unique(level_nodes& nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

void add_touched(const hot_region& hot, const octant& o, int levels, std::vector<level_nodes>& refined) {
  if (o.level == levels || !hot.touches(o)) return;
  refined[o.level].push_back(o.code());
  for (int c = 0; c < 8; ++c) add_touched(hot, o.child(c), levels, refined);
}

void add_parents_around(const octant& o, level_nodes& parents) {
  parents.push_back(o.parent().code());
  const auto add = [&](direction d) {
    if (o.has_neighbour(d)) parents.push_back(o.neighbour(d).parent().code());
  };
  for (const direction d : face_directions) add(d);
  for (const direction d : edge_directions) add(d);
}

void add_leaves(const octant& o, const std::vector<level_nodes>& refined, std::vector<octant>& leaves) {
  if (o.level == refined.size() || !std::binary_search(refined[o.level].begin(), refined[o.level].end(), o.code())) {
    leaves.push_back(o);
    return;
  }
  for (int c = 0; c < 8; ++c) add_leaves(o.child(c), refined, leaves);
}

}  // namespace

std::vector<octant> closed_form_leaves(const hot_region& hot, int levels) {
  check_mesh_request(hot, levels);
  std::vector<level_nodes> refined(static_cast<std::size_t>(levels));
  add_touched(hot, octant{}, levels, refined);
  for (std::size_t level = refined.size() - 1; level > 0; --level) {
    make_unique(refined[level]);
    for (const std::uint64_t code : refined[level]) add_parents_around(octant::from_code(code), refined[level - 1]);
  }
  make_unique(refined[0]);
  std::vector<octant> leaves;
  add_leaves(octant{}, refined, leaves);
  return leaves;
}

}  // namespace adaptive_heat
