// SPDX-License-Identifier: BSD-3-Clause
// Tests of telling zeros, and of the numbers that stand in for them: ordinary ones, whatever type they are read as.
#include <gtest/gtest.h>

#include <base/test_values.hpp>
#include <set>
#include <vector>

namespace nearfar {
namespace {

TEST(TestValues, zeros_are_told_from_anything_else) {
  std::vector<std::byte> memory(1000);
  EXPECT_TRUE(are_zeros(memory.data(), 1000));
  EXPECT_TRUE(are_zeros(memory.data(), 0));
  memory[999] = std::byte{1};
  EXPECT_FALSE(are_zeros(memory.data(), 1000));
  EXPECT_TRUE(are_zeros(memory.data(), 999));
}

template <class Real>
void expect_ordinary_numbers(Real least, Real most) {
  constexpr index_t count = 512;
  std::vector<Real> numbers(count + 1, 0);
  fill_with_test_values(reinterpret_cast<std::byte*>(numbers.data()), count * static_cast<index_t>(sizeof(Real)));
  const std::set<Real> values(numbers.begin(), numbers.end() - 1);
  EXPECT_EQ(values.size(), as_size(count));
  for (const Real x : values) EXPECT_TRUE(x >= least && x < most) << x;
  EXPECT_EQ(numbers.back(), 0) << "beyond the end";
}

TEST(TestValues, are_neither_zero_nor_far_from_one) {
  expect_ordinary_numbers<float>(1, 2);
  expect_ordinary_numbers<double>(0.001, 2);
}

TEST(TestValues, fill_parts_of_a_word) {
  std::vector<std::byte> memory(7);
  fill_with_test_values(memory.data(), 6);
  EXPECT_FALSE(are_zeros(memory.data() + 4, 2));
  EXPECT_EQ(memory[6], std::byte{0});
}

}  // namespace
}  // namespace nearfar
