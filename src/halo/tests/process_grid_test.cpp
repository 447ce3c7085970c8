// SPDX-License-Identifier: BSD-3-Clause
// The choice of process grids and node tiles, on cases whose best answer is plain.
#include "process_grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nearfar/error.hpp>
#include <numeric>

namespace nearfar {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

cut_request request(std::vector<index_t> extents, int ranks) {
  const std::size_t n = extents.size();
  return {std::move(extents),
          std::vector<bool>(n, false),
          std::vector<int>(n, 0),
          std::vector<bool>(n, false),
          ranks,
          false};
}

std::string refusal(const cut_request& r) {
  try {
    choose_process_grid(r);
  } catch (const usage_error& e) {
    return e.what();
  }
  return "accepted";
}

TEST(ProcessGrid, has_the_smallest_surface) {
  EXPECT_THAT(choose_process_grid(request({64, 64, 64}, 8)), ElementsAre(2, 2, 2));
  EXPECT_THAT(choose_process_grid(request({100, 100}, 6)), ElementsAre(3, 2)) << "ties cut the slower dimension more";
  EXPECT_THAT(choose_process_grid(request({10, 1000}, 4)), ElementsAre(1, 4));
  EXPECT_THAT(choose_process_grid(request({1000, 10}, 4)), ElementsAre(4, 1));
}

TEST(ProcessGrid, weighs_tiles_that_do_not_come_out_even) {
  EXPECT_THAT(choose_process_grid(request({3, 1000}, 2)), ElementsAre(1, 2))
      << "2 + 1 rows would leave one rank idle half the time";
}

TEST(ProcessGrid, keeps_fixed_entries) {
  cut_request r = request({64, 64, 64}, 8);
  r.fixed = {1, 0, 0};
  EXPECT_THAT(choose_process_grid(r), ElementsAre(1, 4, 2));
  r.fixed = {8, 1, 1};
  EXPECT_THAT(choose_process_grid(r), ElementsAre(8, 1, 1));
}

TEST(ProcessGrid, refuses_what_does_not_multiply_to_the_ranks) {
  cut_request r = request({64, 64}, 4);
  r.fixed = {2, 3};
  EXPECT_THAT(refusal(r), HasSubstr("process_grid 2 x 3 makes 6 tiles, but the team has 4 ranks"));
  r.fixed = {3, 0};
  EXPECT_THAT(refusal(r), HasSubstr("fixes 3 tiles, which does not divide the team's 4 ranks"));
  r.fixed = {65, 1};
  EXPECT_THAT(refusal(r), HasSubstr("65 tiles along dimension 0, which has 64 cells"));
}

TEST(ProcessGrid, refuses_more_ranks_than_cells) {
  EXPECT_THAT(refusal(request({2, 2}, 6)), HasSubstr("6 ranks, more than the 4 cells"));
  EXPECT_THAT(refusal(request({4, 4}, 7)), HasSubstr("use 6 ranks"));
}

TEST(ProcessGrid, uses_as_many_ranks_as_it_can_where_some_may_idle) {
  cut_request r = request({4, 4}, 7);
  r.allow_idle = true;
  EXPECT_THAT(choose_process_grid(r), ElementsAre(3, 2));
  r = request({1, 2}, 6);
  r.allow_idle = true;
  EXPECT_THAT(choose_process_grid(r), ElementsAre(1, 2));
}

TEST(NodeBlock, is_compact) {
  const std::array<int, max_dimensions> square{4, 4, 1, 1}, flat{1, 8, 1, 1};
  EXPECT_EQ(choose_node_block({8, 8}, {10, 10}, {false, false}, 16), square);
  EXPECT_EQ(choose_node_block({8, 8}, {100, 10}, {false, false}, 8), flat) << "narrow tiles are stacked across";
}

TEST(NodeBlock, divides_the_process_grid) {
  for (const int size : {1, 2, 3, 6, 7, 14, 21, 42, 210}) {
    const auto b = choose_node_block({6, 35}, {10, 10}, {true, false}, size);
    EXPECT_EQ(b[0] * b[1], size);
    EXPECT_EQ(6 % b[0], 0);
    EXPECT_EQ(35 % b[1], 0);
  }
}

TEST(CompactOrder, names_every_tile_once_and_keeps_quarters_together) {
  std::vector<int> order = compact_order({4, 4}, {10, 10});
  std::vector<int> first(order.begin(), order.begin() + 4);
  std::sort(first.begin(), first.end());
  EXPECT_THAT(first, ElementsAre(0, 1, 4, 5));
  std::sort(order.begin(), order.end());
  std::vector<int> all(16);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(order, all);
}

}  // namespace
}  // namespace nearfar
