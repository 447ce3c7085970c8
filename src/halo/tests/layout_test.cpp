// SPDX-License-Identifier: BSD-3-Clause
// Array layouts: what they span, what is refused, which order they are walked in.
#include "layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nearfar/error.hpp>

namespace nearfar {
namespace {

using ::testing::HasSubstr;

std::array<char, 4096> memory;
const box cells{2, {10, 20}, {13, 25}};

array_layout layout(std::array<index_t, max_dimensions> extents, std::array<index_t, max_dimensions> strides,
                    std::size_t element = 4) {
  return {memory.data(), element, extents, strides};
}

std::string refusal(const array_layout& a) {
  try {
    check_layout(a, cells, "the array");
  } catch (const usage_error& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Layout, accepts_any_order_gaps_and_directions) {
  EXPECT_EQ(refusal(layout({3, 5}, {20, 4})), "accepted");
  EXPECT_EQ(refusal(layout({3, 5}, {4, 12})), "accepted") << "first dimension fastest";
  EXPECT_EQ(refusal(layout({3, 5}, {-100, 8})), "accepted");
}

TEST(Layout, refuses_what_does_not_hold_the_tile) {
  EXPECT_THAT(refusal(layout({3, 6}, {24, 4})),
              HasSubstr("has 6 elements in dimension 1; own cells and ghosts make 5"));
  EXPECT_THAT(refusal(layout({3, 5}, {16, 4})),
              HasSubstr("stride of 16 bytes in dimension 0, which lets elements overlap; at least 20"));
  EXPECT_THAT(refusal(layout({3, 5}, {20, 2})), HasSubstr("at least 4"));
  EXPECT_THAT(refusal(layout({3, 5, 2}, {40, 8, 4})), HasSubstr("more dimensions than its grid"));
  array_layout a = layout({3, 5}, {20, 4});
  a.data = nullptr;
  EXPECT_THAT(refusal(a), HasSubstr("null pointer"));
}

TEST(Layout, element_bytes_have_limits) {
  EXPECT_THROW(check_element_bytes(0, "x"), usage_error);
  EXPECT_THROW(check_element_bytes(65537, "x"), usage_error);
  EXPECT_NO_THROW(check_element_bytes(65536, "x"));
}

TEST(Layout, span_reaches_below_the_pointer_for_negative_strides) {
  const byte_span span = span_of(layout({3, 5}, {-100, 8}), 2);
  EXPECT_EQ(span.lower, -200);
  EXPECT_EQ(span.upper, 36);
  EXPECT_EQ(span_of(layout({0, 5}, {20, 4}), 2).bytes(), 0);
}

TEST(Layout, box_of_cells_in_memory) {
  const array_layout a = layout({3, 5}, {-100, 8});
  const dimension_order order = walking_order(a, 2);
  EXPECT_EQ(order[0], 0);
  const auto b = cells_in_memory(a, cells, {2, {12, 21}, {13, 24}}, order);
  EXPECT_EQ(b.offset_bytes, 200 - 2 * 100 + 8);
  EXPECT_EQ(b.extents, (std::vector<index_t>{1, 3}));
  EXPECT_EQ(walking_order(layout({3, 5}, {4, 12}), 2)[0], 1) << "the slowest dimension first";
}

}  // namespace
}  // namespace nearfar
