// SPDX-License-Identifier: BSD-3-Clause
// Ranks and members of random sets against a sorted set.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "rank_bitmap.hpp"

namespace nearfar::irregular {
namespace {

TEST(rank_bitmap, tells_how_many_members_are_below) {
  std::mt19937_64 random(7);
  for (const index_t limit :
       {index_t{1}, index_t{64}, index_t{65}, index_t{1} << 16, (index_t{1} << 16) + 1, index_t{5'000'000}}) {
    for (const int count : {0, 1, 300}) {
      rank_bitmap marks(limit);
      std::set<index_t> wanted;
      for (int i = 0; i < count; ++i) {
        const index_t g = std::uniform_int_distribution<index_t>(0, limit - 1)(random);
        marks.insert(g);
        wanted.insert(g);
      }
      if (count > 0) {
        marks.insert(limit - 1);
        wanted.insert(limit - 1);
      }
      EXPECT_EQ(marks.count(), as_index(wanted.size()));
      EXPECT_EQ(marks.members(), std::vector<index_t>(wanted.begin(), wanted.end()));
      std::int32_t below = 0;
      for (const index_t g : wanted) EXPECT_EQ(marks.rank(g), below++) << g;
    }
  }
}

TEST(rank_bitmap, ranges_are_erased) {
  constexpr index_t limit = 200'000;
  for (const index_t first : {0, 1, 63, 64, 65, 65'535, 65'536, 130'000})
    for (const index_t count : {0, 1, 62, 63, 64, 65, 128, 70'000}) {
      if (first + count > limit) continue;
      rank_bitmap marks(limit);
      std::vector<index_t> wanted;
      for (index_t g = 0; g < limit; g += g == 65'000 ? 67'000 : 1) {  // the second page is never made
        marks.insert(g);
        if (g < first || g >= first + count) wanted.push_back(g);
      }
      marks.erase(first, count);
      EXPECT_EQ(marks.count(), as_index(wanted.size()));
      EXPECT_EQ(marks.members(), wanted) << first << " + " << count;
    }
}

TEST(rank_bitmap, holds_nothing_of_nothing) {
  rank_bitmap marks(0);
  EXPECT_EQ(marks.count(), 0);
  EXPECT_TRUE(marks.members().empty());
}

}  // namespace
}  // namespace nearfar::irregular
