// SPDX-License-Identifier: BSD-3-Clause
// Tests of axes, indices and lists of them for readers of both kinds, and of what carries them: errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <base/axis_names.hpp>
#include <random>

namespace nearfar {
namespace {

std::string from_one(const std::string& text) { return in_names(axis_names::from_one_fastest_first, text); }

struct reading {
  std::string marked, zero, one;
};

const reading readings[] = {
    {axis_number(0, 3), "0", "3"},
    {axis_number(-1, 3), "-1", "4"},
    {axis_number(1, 2), "1", "1"},
    {place_number(2), "2", "3"},
    {axis_range(3), "0 to 2", "1 to 3"},
    {index_range(2, 9), "[2,9)", "3:9"},
    {index_in_words({5, 0, 7}), "(5, 0, 7)", "(8, 1, 6)"},
    {memory_order_in_words({2, 0, 1}), "slow to fast (2, 0, 1)", "fast to slow (2, 3, 1)"},
    {box_in_words({2, {0, 2}, {4, 9}}), "[0,4)x[2,9)", "3:9x1:4"},
    {extents_in_words(std::vector<int>{100, 80}), "100 x 80", "80 x 100"},
    {axes_in_words({axis_number(0, 2), index_range(1, 3)}, ", "), "0, [1,3)", "2:3, 2"},
};

bool has_marks(const std::string& text) { return text.find_first_of("\1\2\3") != text.npos; }

TEST(AxisNames, are_read_from_zero_or_from_one) {
  for (const reading& r : readings) {
    EXPECT_EQ(from_zero(r.marked), r.zero);
    EXPECT_EQ(from_one(r.marked), r.one);
  }
}

// Sentences of known pieces: either text is that of its pieces, without marks, and reading it again changes nothing.
TEST(AxisNames, leave_no_marks_and_change_nothing_else_in_a_sentence) {
  std::mt19937 random(7);
  const std::string words[] = {"axis ", "", "; €, \"name\"\n", "(0, 1)", "[", "\t"};
  for (int i = 0; i < 500; ++i) {
    std::string marked, zero, one;
    for (auto pieces = random() % 8; pieces > 0; --pieces) {
      const reading& r = readings[random() % std::size(readings)];
      const std::string& w = words[random() % std::size(words)];
      marked += w + r.marked, zero += w + r.zero, one += w + r.one;
    }
    EXPECT_EQ(from_zero(marked), zero);
    EXPECT_EQ(from_one(marked), one);
    EXPECT_FALSE(has_marks(zero) || has_marks(one));
    EXPECT_EQ(from_one(zero), zero);
  }
}

TEST(AxisNames, keep_what_only_looks_like_a_mark) {
  for (const std::string text : {"\1", "a\2b", "\3\2\1", "\1a\2b", "\1a\3"}) {
    EXPECT_EQ(from_zero(text), text);
    EXPECT_EQ(from_one(text), text);
  }
}

TEST(AxisNames, go_with_an_error_through_others) {
  const usage_error first("axis " + axis_number(0, 3));
  EXPECT_STREQ(first.what(), "axis 0");
  const io_error second("step 1: " + message_of(first));
  const error copy = second;
  EXPECT_STREQ(copy.what(), "step 1: axis 0");
  EXPECT_EQ(from_one(message_of(copy)), "step 1: axis 3");
}

}  // namespace
}  // namespace nearfar
