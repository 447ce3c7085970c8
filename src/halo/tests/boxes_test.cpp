// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on boxes, small enough to check by hand.
#include "boxes.hpp"

#include <gtest/gtest.h>
#include <nearfar/error.hpp>
#include <nearfar/for_each.hpp>
#include <vector>

namespace nearfar {
namespace {

const box square{2, {0, 0}, {4, 6}};

TEST(Boxes, count_cells) {
  EXPECT_EQ(square.cells(), 24);
  EXPECT_EQ(box{}.cells(), 0);
  EXPECT_EQ((box{2, {3, 0}, {1, 6}}).cells(), 0) << "an extent that is not positive";
}

TEST(Boxes, are_looped_over_with_the_last_index_fastest) {
  std::vector<std::array<index_t, 4>> seen;
  for_each(box{1, {5}, {7}}, [&](index_t i) { seen.push_back({i}); });
  for_each(box{2, {1, 2}, {3, 4}}, [&](index_t j, index_t i) { seen.push_back({j, i}); });
  for_each(box{3, {0, 0, 7}, {1, 1, 9}}, [&](index_t k, index_t j, index_t i) { seen.push_back({k, j, i}); });
  for_each(box{4, {1, 0, 0, 0}, {2, 2, 1, 1}}, [&](index_t l, index_t k, index_t j, index_t i) {
    seen.push_back({l, k, j, i});
  });
  for_each(box{2, {3, 0}, {1, 6}}, [&](index_t, index_t) { ADD_FAILURE() << "a box without cells"; });
  const std::vector<std::array<index_t, 4>> wanted{{5},    {6},       {1, 2},    {1, 3},       {2, 2},
                                                   {2, 3}, {0, 0, 7}, {0, 0, 8}, {1, 0, 0, 0}, {1, 1, 0, 0}};
  EXPECT_EQ(seen, wanted);
  EXPECT_THROW(for_each(square, [](index_t) {}), usage_error) << "one index for two dimensions";
}

TEST(Boxes, meet_in_a_box) {
  EXPECT_EQ(intersection(square, {2, {2, 5}, {9, 9}}), (box{2, {2, 5}, {4, 6}}));
  EXPECT_EQ(intersection(square, {2, {4, 0}, {5, 6}}), (box{2, {}, {}})) << "boxes that touch share nothing";
}

TEST(Boxes, grow_by_widths_per_side) {
  EXPECT_EQ(grown(square, ghosts{{1, 2}, {0, 3}}), (box{2, {-1, 0}, {6, 9}}));
  EXPECT_EQ(grown(box{2, {}, {}}, 3), (box{2, {}, {}})) << "a tile without cells has no ghosts";
}

TEST(Boxes, slab_lies_outside_one_face) {
  EXPECT_EQ(slab_outside(square, 0, side::low, 2), (box{2, {-2, 0}, {0, 6}}));
  EXPECT_EQ(slab_outside(square, 1, side::high, 1), (box{2, {0, 6}, {4, 7}}));
}

TEST(Boxes, hole_leaves_disjoint_pieces) {
  const region rest = without(square, {2, {1, 2}, {3, 4}});
  ASSERT_EQ(rest.size(), 4u);
  index_t cells = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    cells += rest[i].cells();
    for (std::size_t j = 0; j < i; ++j) EXPECT_TRUE(intersection(rest[i], rest[j]).is_empty());
  }
  EXPECT_EQ(cells, 20);
  EXPECT_TRUE(without(square, square).empty());
  EXPECT_EQ(without(square, box{2, {}, {}}), region{square});
}

TEST(Ghosts, take_four_dimensions_at_most) {
  const ghosts g{{1, 2}};
  EXPECT_EQ(g.low(0), 1);
  EXPECT_EQ(g.high(0), 2);
  EXPECT_EQ(g.high(1), 0) << "not named";
  EXPECT_THROW((ghosts{{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}), usage_error);
}

}  // namespace
}  // namespace nearfar
