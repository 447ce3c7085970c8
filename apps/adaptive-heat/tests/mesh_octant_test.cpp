// SPDX-License-Identifier: BSD-3-Clause
// Octants against their coordinates, taken one bit at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <mesh/octant.hpp>
#include <random>
#include <vector>

namespace adaptive_heat {
namespace {

std::uint64_t key_bit_by_bit(const octant& o) {
  std::uint64_t key = 0;
  for (int bit = 0; bit < max_level; ++bit) {
    key |= std::uint64_t{o.x >> bit & 1} << (3 * bit);
    key |= std::uint64_t{o.y >> bit & 1} << (3 * bit + 1);
    key |= std::uint64_t{o.z >> bit & 1} << (3 * bit + 2);
  }
  return key;
}

octant random_octant(std::mt19937& bits, int finest = max_level) {
  const int level = static_cast<int>(bits() % static_cast<unsigned>(finest + 1));
  const auto place = [&] { return static_cast<std::uint32_t>(bits() % cube_side); };
  return octant{place(), place(), place(), max_level}.ancestor(level);
}

TEST(Octant, keys_and_codes_are_reversible) {
  std::mt19937 bits(1);
  for (int i = 0; i < 1000; ++i) {
    const octant o = random_octant(bits);
    EXPECT_EQ(o.key(), key_bit_by_bit(o));
    EXPECT_EQ(octant::at(o.key(), o.level), o);
    EXPECT_EQ(octant::from_code(o.code()), o);
  }
}

TEST(Octant, children_fill_their_parent_in_order) {
  std::mt19937 bits(2);
  for (int i = 0; i < 300; ++i) {
    const octant o = random_octant(bits, max_level - 1);
    std::uint64_t at = o.key();
    for (int c = 0; c < 8; ++c) {
      const octant child = o.child(c);
      EXPECT_EQ(child.key(), at);
      at = child.end_key();
      EXPECT_EQ(child.child_index(), c);
      EXPECT_EQ(child.parent(), o);
      EXPECT_TRUE(o.contains(child));
      EXPECT_FALSE(child.contains(o));
      EXPECT_LT(o, child);
    }
    EXPECT_EQ(at, o.end_key());
    EXPECT_TRUE(o.contains(o));
  }
  EXPECT_EQ(octant{}.end_key(), key_end);
}

TEST(Octant, containing_is_the_containing_of_cells) {
  std::mt19937 bits(3);
  for (int i = 0; i < 3000; ++i) {
    const octant a = random_octant(bits, 3), b = random_octant(bits, 3);
    EXPECT_EQ(a.contains(b), a.key() <= b.key() && b.end_key() <= a.end_key());
  }
}

TEST(Octant, neighbours_share_faces_or_edges_and_lie_in_the_cube) {
  std::mt19937 bits(4);
  std::vector<direction> all(face_directions.begin(), face_directions.end());
  all.insert(all.end(), edge_directions.begin(), edge_directions.end());
  const auto overlap = [](std::uint32_t a, std::uint32_t b, std::uint32_t side) {
    return std::min<std::int64_t>(a, b) + side - std::max<std::int64_t>(a, b);
  };
  for (int i = 0; i < 500; ++i) {
    const octant o = random_octant(bits, 4);
    std::vector<octant> found;
    for (const direction d : all) {
      if (!o.has_neighbour(d)) continue;
      const octant n = o.neighbour(d);
      EXPECT_EQ(n.level, o.level);
      const auto x = overlap(o.x, n.x, o.side()), y = overlap(o.y, n.y, o.side()), z = overlap(o.z, n.z, o.side());
      EXPECT_GE(std::min({x, y, z}), 0);
      EXPECT_GT(std::max({x, y, z}), 0) << "they share a corner only";
      EXPECT_EQ(x * y * z, 0);
      EXPECT_TRUE(n.x < cube_side && n.y < cube_side && n.z < cube_side);
      found.push_back(n);
    }
    std::sort(found.begin(), found.end());
    EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
    const auto sides = [&](std::uint32_t c) { return (c == 0 ? 1 : 0) + (c + o.side() == cube_side ? 1 : 0); };
    const int open_x = 2 - sides(o.x), open_y = 2 - sides(o.y), open_z = 2 - sides(o.z);
    EXPECT_EQ(found.size(),
              static_cast<std::size_t>(open_x + open_y + open_z + open_x * open_y + open_y * open_z + open_z * open_x));
  }
}

TEST(Octant, faces_and_edges_are_numbered_as_in_npb) {
  const octant o = octant{}.child(0).child(7);
  EXPECT_EQ(o.neighbour(face_directions[0]).x, o.x + o.side());
  EXPECT_EQ(o.neighbour(face_directions[3]).y, o.y - o.side());
  EXPECT_EQ(o.neighbour(face_directions[4]).z, o.z + o.side());
  // Edge 2 runs along z at the high x and high y, edge 9 along x at the high y and low z.
  EXPECT_EQ(o.neighbour(edge_directions[1]), (octant{o.x + o.side(), o.y + o.side(), o.z, o.level}));
  EXPECT_EQ(o.neighbour(edge_directions[8]), (octant{o.x, o.y + o.side(), o.z - o.side(), o.level}));
}

}  // namespace
}  // namespace adaptive_heat
