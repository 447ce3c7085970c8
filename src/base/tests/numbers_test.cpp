// SPDX-License-Identifier: BSD-3-Clause
// Hashes that are added up must not collide for inputs that differ in one place; narrowing must not lose digits.
#include <gtest/gtest.h>

#include <base/numbers.hpp>
#include <set>

namespace nearfar {
namespace {

std::uint64_t of_pair(index_t a, index_t b) { return hash64().add(a).add(b).value(); }

TEST(hash64, differs_for_different_inputs_and_boundaries) {
  EXPECT_NE(hash64().add(1).add(2).value(), hash64().add(2).add(1).value());
  EXPECT_NE(hash64().add("ab").add("c").value(), hash64().add("a").add("bc").value());
}

TEST(hash64, can_be_added_up_over_ranks) {
  // Two ranks, each with its peer and a choice: the four sums must differ (those of plain FNV do not).
  std::set<std::uint64_t> sums;
  for (index_t choice = 0; choice < 4; ++choice) sums.insert(of_pair(1, choice) + of_pair(0, choice));
  EXPECT_EQ(sums.size(), 4u);
}

TEST(checked_int, takes_what_fits_and_names_what_does_not) {
  EXPECT_EQ(checked_int(2147483647, "a count"), 2147483647);
  EXPECT_THROW(checked_int(-1, "a count"), usage_error);
  try {
    checked_int(index_t{1} << 31, "a count");
    FAIL();
  } catch (const usage_error& e) {
    EXPECT_NE(std::string(e.what()).find("a count is 2147483648"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace nearfar
