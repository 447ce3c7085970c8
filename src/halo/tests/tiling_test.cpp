// SPDX-License-Identifier: BSD-3-Clause
// Cuts and tile orders against their definitions, for many small cases.
#include <halo/tiling.hpp>

#include <gtest/gtest.h>
#include <set>

#include "boxes.hpp"

namespace nearfar {
namespace {

void expect_consistent(const axis& a) {
  ASSERT_EQ(a.start(0), 0);
  ASSERT_EQ(a.start(a.tiles()), a.extent());
  index_t widest = 0;
  for (int t = 0; t < a.tiles(); ++t) {
    widest = std::max(widest, a.start(t + 1) - a.start(t));
    for (index_t cell = a.start(t); cell < a.start(t + 1); ++cell) EXPECT_EQ(a.find(cell), t) << "cell " << cell;
  }
  EXPECT_EQ(a.widest(), widest);
}

TEST(Axis, even_cuts_differ_by_one_cell_at_most) {
  for (index_t extent = 1; extent <= 20; ++extent) {
    for (int tiles = 1; tiles <= extent; ++tiles) {
      const axis a(extent, tiles);
      expect_consistent(a);
      EXPECT_LE(a.widest() - (a.start(tiles) - a.start(tiles - 1)), 1);
    }
  }
}

TEST(Axis, given_cuts_may_be_empty) {
  const std::vector<index_t> widths{0, 3, 0, 0, 2, 1, 0};
  const axis a{std::span<const index_t>(widths)};
  EXPECT_EQ(a.extent(), 6);
  expect_consistent(a);
}

// Every tile has one rank, every rank one tile, and both directions agree.
void expect_one_rank_per_tile(const cartesian_tiling& t, const std::vector<int>& process_grid) {
  std::set<int> ranks;
  coordinates c{};
  for (c[0] = 0; c[0] < process_grid[0]; ++c[0]) {
    for (c[1] = 0; c[1] < process_grid[1]; ++c[1]) {
      const int rank = t.rank_of(c);
      ranks.insert(rank);
      EXPECT_EQ(t.tile_of(rank).lower[0], t.axes()[0].start(c[0]));
      EXPECT_EQ(t.tile_of(rank).lower[1], t.axes()[1].start(c[1]));
    }
  }
  EXPECT_EQ(static_cast<int>(ranks.size()), process_grid[0] * process_grid[1]);
  EXPECT_EQ(*ranks.begin(), 0);
}

cartesian_tiling six_by_four(tile_order order) { return {{axis(13, 6), axis(9, 4)}, std::move(order)}; }

TEST(CartesianTiling, row_major) {
  const auto t = six_by_four({.block = {6, 4, 1, 1}, .ranks = {}});
  expect_one_rank_per_tile(t, {6, 4});
  EXPECT_EQ(t.rank_of({2, 3}), 11);
  EXPECT_TRUE(t.tile_of(24).is_empty()) << "a rank too many has no tile";
}

TEST(CartesianTiling, blocks_of_consecutive_ranks) {
  const auto t = six_by_four({.block = {3, 2, 1, 1}, .ranks = {}});
  expect_one_rank_per_tile(t, {6, 4});
  EXPECT_EQ(t.rank_of({2, 1}), 5) << "last of the first block";
  EXPECT_EQ(t.rank_of({0, 2}), 6) << "first of the second";
}

TEST(CartesianTiling, blocks_of_ranks_dealt_round_the_nodes) {
  const auto t = six_by_four({.block = {3, 2, 1, 1}, .cyclic_nodes = 4, .ranks = {}});
  expect_one_rank_per_tile(t, {6, 4});
  EXPECT_EQ(t.rank_of({2, 1}) % 4, 0) << "node 0";
  EXPECT_EQ(t.rank_of({0, 2}) % 4, 1) << "node 1";
}

TEST(CartesianTiling, table) {
  tile_order order{.block = {2, 2, 1, 1}, .ranks = {3, 0, 2, 1}};
  expect_one_rank_per_tile({{axis(4, 2), axis(4, 2)}, order}, {2, 2});
}

TEST(CartesianTiling, finds_all_tiles_in_a_box_and_no_others) {
  const auto t = six_by_four({.block = {3, 2, 1, 1}, .ranks = {}});
  const box all = box_of({13, 9});
  box wanted{2, {}, {}};
  for (wanted.lower[0] = 0; wanted.lower[0] < 13; wanted.lower[0] += 3) {
    for (wanted.lower[1] = 0; wanted.lower[1] < 9; wanted.lower[1] += 2) {
      wanted.upper = {wanted.lower[0] + 4, wanted.lower[1] + 3};
      const box inside = intersection(wanted, all);
      std::set<int> expected, found;
      for (int r = 0; r < 24; ++r)
        if (!intersection(t.tile_of(r), inside).is_empty()) expected.insert(r);
      for (const tile& x : t.tiles_in(inside)) {
        found.insert(x.rank);
        EXPECT_EQ(x.cells, t.tile_of(x.rank));
      }
      EXPECT_EQ(found, expected);
    }
  }
  EXPECT_TRUE(t.tiles_in(box{2, {}, {}}).empty());
}

}  // namespace
}  // namespace nearfar
