// SPDX-License-Identifier: BSD-3-Clause
// The table of entities against a map of the standard library.
#include <gtest/gtest.h>

#include <map>
#include <mortar/entity_table.hpp>
#include <random>
#include <set>

namespace adaptive_heat {
namespace {

/// Few keys, so that most are erased and asked for again many times.
TEST(EntityTable, numbers_are_those_of_a_map_whatever_is_erased) {
  std::mt19937 random(11);
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  for (int round = 0; round < 4; ++round) {
    entity_table table;
    std::map<std::uint64_t, std::int32_t> expected;
    std::set<std::int32_t> used;
    std::size_t most = 0;
    for (int i = 0; i < 20000; ++i) {
      const std::uint64_t key = entity_key({below(8) << 17, below(8) << 16, below(16) << 10});
      ASSERT_EQ(table.find(key), expected.contains(key) ? expected[key] : -1);
      if (random() % 2 == 0) {
        const auto [n, is_new] = table.insert(key);
        ASSERT_EQ(is_new, !expected.contains(key));
        if (!is_new) {
          ASSERT_EQ(n, expected[key]);
        } else {
          ASSERT_TRUE(used.insert(n).second) << "a number that another key has";
          most = std::max(most, used.size());
          ASSERT_LT(n, static_cast<std::int32_t>(most)) << "a number that nobody has is not given again";
        }
        ASSERT_EQ(table.key(n), key);
        expected[key] = n;
      } else if (expected.contains(key)) {
        table.erase(expected[key]);
        used.erase(expected[key]);
        expected.erase(key);
      }
    }
    for (std::int32_t n = 0; n < table.end(); ++n) ASSERT_EQ(table.is_used(n), used.contains(n));
  }
}

TEST(EntityTable, lasting_keys_tell_vertices_from_what_else_may_be_at_a_place) {
  const half_point centre{half_end, 3U << 9, half_end};
  EXPECT_NE(lasting_key(centre, 0), lasting_key(centre, 1));
  EXPECT_EQ(lasting_key(centre, 1), lasting_key(centre, 2));
  for (const int dimension : {0, 1, 2}) EXPECT_EQ(centre_of(lasting_key(centre, dimension)), centre);
  EXPECT_NE(lasting_key({half_end, half_end, half_end}, 0), ~std::uint64_t{0});
}

}  // namespace
}  // namespace adaptive_heat
