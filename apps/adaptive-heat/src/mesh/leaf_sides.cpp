// SPDX-License-Identifier: BSD-3-Clause
// Siblings share their neighbours: the cubes around the parent are looked up once for all eight.
#include <mesh/leaf_sides.hpp>

namespace adaptive_heat {

namespace {

constexpr std::size_t place_of(direction d) {
  return static_cast<std::size_t>(d.x + 1 + 3 * (d.y + 1) + 9 * (d.z + 1));
}

/// Where the neighbour of a child in some direction lies: in which block, and which child of it it is.
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
  std::array<unsigned, 6> edges_of_face{};  ///< bits
};

constexpr target_table make_targets() {
  target_table t;
  for (std::size_t c = 0; c < 8; ++c) {
    for (std::size_t f = 0; f < 6; ++f) t.faces[c][f] = target_of(static_cast<int>(c), face_directions[f]);
    for (std::size_t e = 0; e < 12; ++e) t.edges[c][e] = target_of(static_cast<int>(c), edge_directions[e]);
  }
  for (std::size_t f = 0; f < 6; ++f)
    for (std::size_t e = 0; e < 12; ++e) {
      const direction a = face_directions[f], b = edge_directions[e];
      if (a.x * b.x + a.y * b.y + a.z * b.z > 0) t.edges_of_face[f] |= 1U << e;
    }
  return t;
}

constexpr target_table targets = make_targets();

constexpr leaf_sides plain_sides{
    {face_type::same, face_type::same, face_type::same, face_type::same, face_type::same, face_type::same}, 0};

/// The three spread coordinates of the cubes at one along an axis, and whether they are in the unit cube.
struct axis_keys {
  std::array<std::uint64_t, 3> bits;
  std::array<bool, 3> is_there;
};

axis_keys keys_around(std::uint32_t at, std::uint32_t side, int axis) {
  return {{spread_bits(at - side) << axis, spread_bits(at) << axis, spread_bits(at + side) << axis},
          {at != 0, true, at + side != cube_side}};
}

}  // namespace

void side_finder::look_around(const octant& parent) {
  const axis_keys x = keys_around(parent.x, parent.side(), 0), y = keys_around(parent.y, parent.side(), 1),
                  z = keys_around(parent.z, parent.side(), 2);
  is_plain_ = true;
  const auto look = [&](direction d) {
    const auto i = static_cast<std::size_t>(d.x + 1), j = static_cast<std::size_t>(d.y + 1),
               k = static_cast<std::size_t>(d.z + 1);
    block& b = blocks_[place_of(d)];
    b = {};
    if (x.is_there[i] && y.is_there[j] && z.is_there[k]) {
      const node_table::node* n = refined_.find(code_of(x.bits[i] | y.bits[j] | z.bits[k], parent.level));
      b = {.is_outside = false, .is_leaf = n == nullptr, .split_children = n != nullptr ? n->split_children : 0};
    }
    is_plain_ = is_plain_ && !b.is_outside && !b.is_leaf && b.split_children == 0;
  };
  look({0, 0, 0});
  for (const direction d : face_directions) look(d);
  for (const direction d : edge_directions) look(d);
}

/// An edge is split if any of the three other cubes of the leaf's size around it is.
leaf_sides side_finder::sides_of(std::size_t child) const {
  if (is_plain_) return plain_sides;
  leaf_sides s;
  unsigned split = 0;
  const auto is_split = [&](target t) { return (blocks_[t.block].split_children >> t.child & 1) != 0; };
  for (std::size_t f = 0; f < 6; ++f) {
    const target t = targets.faces[child][f];
    const block& b = blocks_[t.block];
    s.faces[f] = b.is_outside ? face_type::boundary : b.is_leaf ? face_type::larger : face_type::same;
    if (!is_split(t)) continue;
    s.faces[f] = face_type::smaller;
    split |= targets.edges_of_face[f];
  }
  for (std::size_t e = 0; e < 12; ++e)
    if (is_split(targets.edges[child][e])) split |= 1U << e;
  s.split_edges = static_cast<std::uint16_t>(split);
  return s;
}

void side_finder::find(std::span<const std::uint64_t> around, std::size_t first, std::size_t last,
                       std::vector<leaf_sides>& sides) {
  sides.clear();
  refined_.build(around);
  std::uint64_t known = code_of(key_end, 0);  // no parent
  for (std::size_t i = first; i < last; ++i) {
    if (level_of(around[i]) == 0) {
      sides.emplace_back();
      continue;
    }
    const std::uint64_t parent = parent_of(around[i]);
    if (parent != known) look_around(octant::from_code(parent));
    known = parent;
    sides.push_back(sides_of(static_cast<std::size_t>(child_index_of(around[i]))));
  }
}

}  // namespace adaptive_heat
