// SPDX-License-Identifier: BSD-3-Clause
// The closed form against the tables of NPB UA, and its three properties against brute force.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <mesh/closed_form.hpp>
#include <nearfar/error.hpp>
#include <random>

#include "mesh_tables.hpp"

namespace adaptive_heat {
namespace {

std::vector<int> counts(const problem& p, std::size_t adaptations) {
  std::vector<int> found;
  for (std::size_t i = 0; i < adaptations; ++i)
    found.push_back(static_cast<int>(closed_form_leaves(test::ball_at(p, i), p.levels).size()));
  return found;
}

std::vector<int> first(const std::vector<int>& all, std::size_t n) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)};
}

TEST(ClosedForm, counts_are_those_of_npb) {
  EXPECT_EQ(counts(problem_class("S"), 10), test::elements_s);
  EXPECT_EQ(counts(problem_class("W"), 20), test::elements_w);
  EXPECT_EQ(counts(problem_class("A"), 40), test::elements_a);
  EXPECT_EQ(counts(problem_class("B"), 40), test::elements_b);
  EXPECT_EQ(counts(problem_class("C"), 40), test::elements_c);
  EXPECT_EQ(counts(problem_class("D"), 2), first(test::elements_d, 2));
}

/// All 50 meshes of class D: --gtest_also_run_disabled_tests.
TEST(ClosedForm, DISABLED_counts_of_class_d) { EXPECT_EQ(counts(problem_class("D"), 50), test::elements_d); }

/// Two boxes share more than a corner point.
bool share_an_edge(const octant& a, const octant& b) {
  const auto overlap = [](std::int64_t p, std::int64_t q, std::int64_t m, std::int64_t n) {
    return std::min(p + m, q + n) - std::max(p, q);
  };
  const auto x = overlap(a.x, b.x, a.side(), b.side()), y = overlap(a.y, b.y, a.side(), b.side()),
             z = overlap(a.z, b.z, a.side(), b.side());
  return std::min({x, y, z}) >= 0 && std::max({x, y, z}) > 0;
}

bool is_balanced(const std::vector<octant>& leaves) {
  for (const octant& a : leaves)
    for (const octant& b : leaves)
      if (a.level > b.level + 1 && share_an_edge(a, b)) return false;
  return true;
}

/// Leaves with the octet that begins at `i` replaced by its parent.
std::vector<octant> merged_at(const std::vector<octant>& leaves, std::size_t i) {
  std::vector<octant> merged(leaves);
  merged[i] = leaves[i].parent();
  merged.erase(merged.begin() + static_cast<std::ptrdiff_t>(i) + 1,
               merged.begin() + static_cast<std::ptrdiff_t>(i) + 8);
  return merged;
}

/// No octet can be merged without breaking a rule; since rules (a) and (b) are kept by what trees have in common, no
/// coarser tree exists.
void expect_coarsest(const ball& b, int levels) {
  const std::vector<octant> leaves = closed_form_leaves(b, levels);
  std::uint64_t at = 0;
  for (const octant& o : leaves) {
    EXPECT_EQ(o.key(), at);
    at = o.end_key();
    if (b.touches(o)) {
      EXPECT_EQ(o.level, levels);
    }
  }
  EXPECT_EQ(at, key_end);
  EXPECT_TRUE(is_balanced(leaves));
  for (std::size_t i = 0; i + 8 <= leaves.size(); ++i) {
    if (leaves[i].level == 0 || leaves[i].child_index() != 0 || leaves[i + 7].level != leaves[i].level ||
        leaves[i + 7].parent() != leaves[i].parent() || b.touches(leaves[i].parent()))
      continue;
    EXPECT_FALSE(is_balanced(merged_at(leaves, i))) << "leaf " << i;
  }
}

TEST(ClosedForm, meshes_are_the_coarsest_that_keep_the_rules) {
  std::mt19937 bits(7);
  std::uniform_real_distribution<double> place(-0.05, 1.05), size(0.001, 0.2);
  for (int i = 0; i < 40; ++i) expect_coarsest({{place(bits), place(bits), place(bits)}, size(bits)}, 1 + i % 5);
  expect_coarsest({{0.5, 0.5, 0.5}, 1e-9}, 6);
  expect_coarsest({{0, 1, 0}, 1e-9}, 7);
}

TEST(ClosedForm, a_ball_outside_leaves_the_root_alone) {
  EXPECT_EQ(closed_form_leaves(ball{{2, 0.5, 0.5}, 0.5}, 4), std::vector<octant>{octant{}});
}

TEST(ClosedForm, the_ball_is_open) {
  const octant quarter = octant{}.child(0);  // [0, 0.5]^3
  EXPECT_FALSE((ball{{0.75, 0.25, 0.25}, 0.25}.touches(quarter)));
  EXPECT_TRUE((ball{{0.75, 0.25, 0.25}, 0.2500001}.touches(quarter)));
  EXPECT_TRUE((ball{{0.25, 0.25, 0.25}, 1e-9}.touches(quarter)));
  EXPECT_FALSE((ball{{0.75, 0.75, 0.75}, 0.25 * 1.732}.touches(quarter)));
  EXPECT_TRUE((ball{{0.75, 0.75, 0.75}, 0.25 * 1.7321}.touches(quarter)));
}

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const nearfar::usage_error& e) {
    return e.what();
  }
  return "no usage_error";
}

TEST(ClosedForm, what_cannot_be_is_named) {
  const ball good{{0.5, 0.5, 0.5}, 0.1};
  EXPECT_THAT(message_of([&] { (void)closed_form_leaves(good, 20); }), testing::HasSubstr("20; it is 1 to 19"));
  EXPECT_THAT(message_of([&] { (void)closed_form_leaves(good, 0); }), testing::HasSubstr("0; it is 1 to 19"));
  EXPECT_THAT(message_of([&] { (void)closed_form_leaves(ball{good.centre, -1}, 4); }), testing::HasSubstr("radius"));
  EXPECT_THAT(message_of([&] {
                (void)closed_form_leaves(ball{good.centre, std::numeric_limits<double>::quiet_NaN()}, 4);
              }),
              testing::HasSubstr("nan"));
  EXPECT_THAT(message_of([&] {
                (void)closed_form_leaves(ball{{0.5, std::numeric_limits<double>::infinity(), 0}, 1}, 4);
              }),
              testing::HasSubstr("inf"));
  EXPECT_THAT(message_of([&] { (void)problem_class("Q"); }), testing::HasSubstr("'Q'"));
}

}  // namespace
}  // namespace adaptive_heat
