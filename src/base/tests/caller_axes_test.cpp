// SPDX-License-Identifier: BSD-3-Clause
// Tests of axes, indices and lists of them in both manners, and that a thread's manner is its own.
#include <gtest/gtest.h>

#include <base/caller_axes.hpp>
#include <thread>

namespace nearfar {
namespace {

class CallerAxes : public testing::Test {
  void TearDown() override { set_caller_axes(axis_names::from_zero_slowest_first); }
};

TEST_F(CallerAxes, count_from_zero_unless_told) {
  EXPECT_EQ(axis_number(0, 3), 0);
  EXPECT_EQ(place_number(2), 2);
  EXPECT_EQ(axis_number(-1, 3), -1);
  EXPECT_EQ(axis_range(3), "0 to 2");
  EXPECT_EQ(index_range(2, 9), "[2,9)");
  EXPECT_EQ(index_in_words({5, 0, 7}), "(5, 0, 7)");
  EXPECT_EQ(memory_order_in_words({2, 0, 1}), "slow to fast (2, 0, 1)");
  EXPECT_EQ(in_callers_order(std::vector<int>{1, 2, 3}), (std::vector<int>{1, 2, 3}));
}

TEST_F(CallerAxes, count_from_one_and_from_the_other_end_in_fortran) {
  set_caller_axes(axis_names::from_one_fastest_first);
  EXPECT_EQ(axis_number(0, 3), 3);
  EXPECT_EQ(place_number(2), 3);
  EXPECT_EQ(axis_number(2, 3), 1);
  EXPECT_EQ(axis_range(3), "1 to 3");
  EXPECT_EQ(index_range(2, 9), "3:9");
  EXPECT_EQ(index_in_words({5, 0, 7}), "(8, 1, 6)");
  EXPECT_EQ(memory_order_in_words({2, 0, 1}), "fast to slow (2, 3, 1)");
  EXPECT_EQ(in_callers_order(std::vector<int>{1, 2, 3}), (std::vector<int>{3, 2, 1}));
}

TEST_F(CallerAxes, are_those_of_one_thread) {
  set_caller_axes(axis_names::from_one_fastest_first);
  axis_names elsewhere = axis_names::from_one_fastest_first;
  std::thread([&] { elsewhere = caller_axes(); }).join();
  EXPECT_EQ(elsewhere, axis_names::from_zero_slowest_first);
}

}  // namespace
}  // namespace nearfar
