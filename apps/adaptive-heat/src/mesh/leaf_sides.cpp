// SPDX-License-Identifier: BSD-3-Clause
// Siblings share their neighbours: the 26 around the parent are looked up once for all eight.
#include <mesh/leaf_sides.hpp>

namespace adaptive_heat {

namespace {

/// What is known of a cube of the parent's size, the parent itself or one around it.
struct block {
  bool is_outside = true;
  bool is_leaf = false;             ///< of its own size or larger
  std::uint8_t split_children = 0;  ///< bit c: child c is refined
};
using blocks = std::array<block, 27>;  // by (x + 1) + 3 (y + 1) + 9 (z + 1)

/// Where the neighbour of child `c` in a direction lies: in which block, and which child of it it is.
struct target {
  std::uint8_t block, child;
};

constexpr target target_of(int c, direction d) {
  const int x = (c & 1) + d.x, y = (c >> 1 & 1) + d.y, z = (c >> 2) + d.z;  // -1 … 2
  const auto side = [](int p) { return p < 0 ? 0 : p > 1 ? 2 : 1; };
  return {static_cast<std::uint8_t>(side(x) + 3 * side(y) + 9 * side(z)),
          static_cast<std::uint8_t>((x & 1) | (y & 1) << 1 | (z & 1) << 2)};
}

struct target_table {
  std::array<std::array<target, 6>, 8> faces{};
  std::array<std::array<target, 12>, 8> edges{};
};

constexpr target_table make_targets() {
  target_table t;
  for (int c = 0; c < 8; ++c) {
    const auto child = static_cast<std::size_t>(c);
    for (std::size_t f = 0; f < 6; ++f) t.faces[child][f] = target_of(c, face_directions[f]);
    for (std::size_t e = 0; e < 12; ++e) t.edges[child][e] = target_of(c, edge_directions[e]);
  }
  return t;
}

constexpr target_table targets = make_targets();

/// Which children of a refined node have leaves inside of them; `i` is the first leaf in the node.
std::uint8_t split_children_of(std::span<const std::uint64_t> around, std::size_t i, std::uint64_t node) {
  const int level = level_of(node) + 1;
  const std::uint64_t end = end_key_of(node);
  unsigned split = 0;
  while (i < around.size() && key_of(around[i]) < end) {
    if (level_of(around[i]) == level) {
      ++i;
      continue;
    }
    const std::uint64_t child = ancestor_of(around[i], level);
    split |= 1U << child_index_of(child);
    i += lower_position(around.subspan(i), code_of(end_key_of(child), 0));
  }
  return static_cast<std::uint8_t>(split);
}

block look_up(std::span<const std::uint64_t> around, std::uint64_t node) {
  const std::size_t i = first_inside(around, node);
  if (i == around.size()) return {.is_outside = false, .is_leaf = true, .split_children = 0};
  return {.is_outside = false, .is_leaf = false, .split_children = split_children_of(around, i, node)};
}

void look_around(std::span<const std::uint64_t> around, const octant& parent, blocks& found) {
  const auto look = [&](direction d) {
    const auto place = static_cast<std::size_t>(d.x + 1 + 3 * (d.y + 1) + 9 * (d.z + 1));
    found[place] = parent.has_neighbour(d) ? look_up(around, parent.neighbour(d).code()) : block{};
  };
  look({0, 0, 0});
  for (const direction d : face_directions) look(d);
  for (const direction d : edge_directions) look(d);
}

leaf_sides sides_of(std::size_t child, const blocks& found) {
  leaf_sides s;
  const auto is_split = [&](target t) { return (found[t.block].split_children >> t.child & 1) != 0; };
  for (std::size_t f = 0; f < 6; ++f) {
    const target t = targets.faces[child][f];
    const block& b = found[t.block];
    s.faces[f] = b.is_outside  ? face_type::boundary
                 : b.is_leaf   ? face_type::larger
                 : is_split(t) ? face_type::smaller
                               : face_type::same;
  }
  // An edge is split if any of the three other cubes of the leaf's size around it is.
  unsigned split = 0;
  for (std::size_t e = 0; e < 12; ++e)
    if (is_split(targets.edges[child][e])) split |= 1U << e;
  for (std::size_t f = 0; f < 6; ++f)
    if (s.faces[f] == face_type::smaller)
      for (std::size_t e = 0; e < 12; ++e) {
        const direction& df = face_directions[f];
        const direction& de = edge_directions[e];
        if (df.x * de.x + df.y * de.y + df.z * de.z > 0) split |= 1U << e;
      }
  s.split_edges = static_cast<std::uint16_t>(split);
  return s;
}

}  // namespace

void find_leaf_sides(std::span<const std::uint64_t> around, std::size_t first, std::size_t last,
                     std::vector<leaf_sides>& sides) {
  sides.clear();
  blocks found{};
  std::uint64_t known = code_of(key_end, 0);  // no parent
  for (std::size_t i = first; i < last; ++i) {
    if (level_of(around[i]) == 0) {
      sides.emplace_back();
      continue;
    }
    const std::uint64_t parent = parent_of(around[i]);
    if (parent != known) look_around(around, octant::from_code(parent), found);
    known = parent;
    sides.push_back(sides_of(static_cast<std::size_t>(child_index_of(around[i])), found));
  }
}

}  // namespace adaptive_heat
