// SPDX-License-Identifier: BSD-3-Clause
// Even blocks against counting elements one by one.
#include <gtest/gtest.h>

#include <base/even_blocks.hpp>

namespace nearfar {
namespace {

TEST(even_blocks, cover_the_elements_in_order_and_differ_by_one_at_most) {
  for (const index_t elements : {0, 1, 2, 5, 7, 12, 100})
    for (const int blocks : {1, 2, 3, 5, 7, 13}) {
      const even_blocks cut{elements, blocks};
      index_t next = 0;
      for (index_t b = 0; b < blocks; ++b) {
        EXPECT_EQ(cut.first(b), next) << elements << " in " << blocks;
        EXPECT_GE(cut.size(b), elements / blocks);
        EXPECT_LE(cut.size(b), (elements + blocks - 1) / blocks);
        for (index_t i = 0; i < cut.size(b); ++i) EXPECT_EQ(cut.owner(next++), b) << elements << " in " << blocks;
      }
      EXPECT_EQ(next, elements);
    }
}

TEST(even_blocks, longer_ones_come_first) {
  const even_blocks cut{7, 3};
  EXPECT_EQ(cut.size(0), 3);
  EXPECT_EQ(cut.size(2), 2);
}

}  // namespace
}  // namespace nearfar
