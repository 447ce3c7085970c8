// SPDX-License-Identifier: BSD-3-Clause
// A neighbour that several ranks share is taken apart until each piece at the common face, edge or corner is one rank's.
#include <mesh/touching.hpp>

namespace adaptive_heat {

namespace {

constexpr bool is_at_that_end(int bit_of_child, std::int8_t d) { return d == 0 || (d > 0) == (bit_of_child == 0); }

}  // namespace

/// The Morton order grows with each coordinate, so the first and the last of the 27 cubes bound the others' keys.
bool touching_ranks::is_inside(const octant& o) const noexcept {
  const auto low = [&](std::uint32_t c) { return c == 0 ? c : c - o.side(); };
  const auto high = [&](std::uint32_t c) { return c + o.side() == cube_side ? c : c + o.side(); };
  const octant first{low(o.x), low(o.y), low(o.z), o.level}, last{high(o.x), high(o.y), high(o.z), o.level};
  return first.key() >= begin_ && last.end_key() <= end_;
}

void touching_ranks::find(const octant& o, std::vector<int>& ranks) const {
  for (int i = 0; i < 27; ++i) {
    const auto part = [i](int unit) { return static_cast<std::int8_t>(i / unit % 3 - 1); };
    const direction d{part(1), part(3), part(9)};
    if (i != 13 && o.has_neighbour(d)) find_in(o.neighbour(d), d, ranks);
  }
}

void touching_ranks::find_in(const octant& n, direction from, std::vector<int>& ranks) const {
  const int first = owner(n.key()), last = owner(n.end_key() - 1);
  if (first == last) {
    if (first != rank_) ranks.push_back(first);
    return;
  }
  for (int c = 0; c < 8; ++c)
    if (is_at_that_end(c & 1, from.x) && is_at_that_end(c & 2, from.y) && is_at_that_end(c & 4, from.z))
      find_in(n.child(c), from, ranks);
}

}  // namespace adaptive_heat
