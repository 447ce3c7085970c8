// SPDX-License-Identifier: BSD-3-Clause
// The layout of an array: checks, the bytes it spans, and the strided box of some of its cells.
#pragma once

#include <exchange/pattern.hpp>
#include <nearfar/field.hpp>
#include <string>

namespace nearfar {

inline constexpr std::size_t most_element_bytes = 65536;

void check_element_bytes(std::size_t element_bytes, const std::string& what);
/// No width of the grid's dimensions is negative.
void check_widths(const ghosts& widths, int dimensions, const std::string& what);
/// Extents are those of `cells`, data is there, and strides do not let elements overlap.
void check_layout(const array_layout& a, const box& cells, const std::string& what);

/// First and past-the-last byte of an array, from its data pointer (negative strides reach below it).
struct byte_span {
  index_t lower = 0, upper = 0;
  index_t bytes() const noexcept { return upper - lower; }
};
byte_span span_of(const array_layout& a, int dimensions) noexcept;

using dimension_order = std::array<int, max_dimensions>;

/// The dimensions by falling stride (equal strides in the grid's order): the order in which memory is best walked.
dimension_order walking_order(const array_layout& a, int dimensions);

/// `wanted` as seen from an array that holds `held`, dimensions listed in `order`; offset from the first byte spanned.
exchange::strided_box cells_in_memory(const array_layout& a, const box& held, const box& wanted,
                                      const dimension_order& order);

}  // namespace nearfar
