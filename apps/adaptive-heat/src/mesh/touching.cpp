// SPDX-License-Identifier: BSD-3-Clause
// A neighbour that several ranks share is taken apart until each piece at the common face, edge or corner is one
// rank's.
#include <mesh/touching.hpp>

namespace adaptive_heat {

namespace {

constexpr bool is_at_that_end(int bit_of_child, std::int8_t d) { return d == 0 || (d > 0) == (bit_of_child == 0); }

constexpr direction direction_of(int i) {
  const auto part = [i](int unit) { return static_cast<std::int8_t>(i / unit % 3 - 1); };
  return {part(1), part(3), part(9)};
}

constexpr int centre = 13;

/// For each child and each of the 26 directions: the number of the cube of the parent's size in which the neighbour
/// lies.
struct cube_table {
  std::array<std::array<std::uint8_t, 27>, 8> cubes{};
};

constexpr cube_table make_cubes() {
  cube_table t;
  const auto side = [](int p) { return p < 0 ? 0 : p > 1 ? 2 : 1; };
  for (int c = 0; c < 8; ++c)
    for (int i = 0; i < 27; ++i) {
      const direction d = direction_of(i);
      t.cubes[static_cast<std::size_t>(c)][static_cast<std::size_t>(i)] =
          static_cast<std::uint8_t>(side((c & 1) + d.x) + 3 * side((c >> 1 & 1) + d.y) + 9 * side((c >> 2) + d.z));
    }
  return t;
}

constexpr cube_table table = make_cubes();

}  // namespace

/// The Morton order grows with each coordinate, so the first and the last of the 27 cubes bound the others' keys.
bool touching_ranks::is_inside(const octant& o) const noexcept {
  const auto low = [&](std::uint32_t c) { return c == 0 ? c : c - o.side(); };
  const auto high = [&](std::uint32_t c) { return c + o.side() == cube_side ? c : c + o.side(); };
  const octant first{low(o.x), low(o.y), low(o.z), o.level}, last{high(o.x), high(o.y), high(o.z), o.level};
  return first.key() >= begin_ && last.end_key() <= end_;
}

int touching_ranks::only_owner(const octant& o) const noexcept {
  const std::uint64_t key = o.key(), last = key + o.cells() - 1;
  const int first_owner = owner(key);
  return last < parts_.end(first_owner) ? first_owner : several;
}

void touching_ranks::look_around(const octant& parent) {
  parent_ = parent;
  is_all_mine_ = is_inside(parent);
  if (is_all_mine_) return;
  for (int i = 0; i < 27; ++i) {
    const direction d = direction_of(i);
    owners_[static_cast<std::size_t>(i)] = parent.has_neighbour(d) ? only_owner(parent.neighbour(d)) : nobody;
  }
}

void touching_ranks::find(const octant& o, std::vector<int>& ranks) {
  if (o.level == 0) return;
  if (const octant parent = o.parent(); parent != parent_) look_around(parent);
  if (is_all_mine_) return;
  const auto& cubes = table.cubes[static_cast<std::size_t>(o.child_index())];
  unsigned seen = 0;
  for (int i = 0; i < 27; ++i) {
    const int cube = cubes[static_cast<std::size_t>(i)], owner = owners_[static_cast<std::size_t>(cube)];
    if (i == centre || (seen >> cube & 1) != 0) continue;
    if (owner == several) {
      const direction d = direction_of(i);
      find_in(o.neighbour(d), d, ranks);
      continue;
    }
    seen |= 1U << cube;
    if (owner != nobody && owner != rank_) ranks.push_back(owner);
  }
}

void touching_ranks::find_in(const octant& n, direction from, std::vector<int>& ranks) const {
  const int owner = only_owner(n);
  if (owner != several) {
    if (owner != rank_) ranks.push_back(owner);
    return;
  }
  for (int c = 0; c < 8; ++c)
    if (is_at_that_end(c & 1, from.x) && is_at_that_end(c & 2, from.y) && is_at_that_end(c & 4, from.z))
      find_in(n.child(c), from, ranks);
}

}  // namespace adaptive_heat
