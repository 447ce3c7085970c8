// SPDX-License-Identifier: BSD-3-Clause
// Checks of array layouts and the way from boxes of cells to strided memory.
#include "layout.hpp"

#include <algorithm>
#include <base/axis_names.hpp>
#include <base/text.hpp>
#include <cstdlib>
#include <nearfar/error.hpp>

#include "boxes.hpp"

namespace nearfar {

void check_element_bytes(std::size_t element_bytes, const std::string& what) {
  if (element_bytes < 1 || element_bytes > most_element_bytes)
    throw usage_error(
        text(what, " has elements of ", element_bytes, " bytes; 1 to ", most_element_bytes, " are possible"));
}

void check_widths(const ghosts& widths, int dimensions, const std::string& what) {
  for (int d = 0; d < dimensions; ++d)
    if (widths.low(d) < 0 || widths.high(d) < 0)
      throw usage_error(text(what, " has ghost widths (", widths.low(d), ", ", widths.high(d), ") in dimension ",
                             axis_number(d, dimensions), "; they must be 0 or more"));
}

dimension_order walking_order(const array_layout& a, int dimensions) {
  dimension_order order{0, 1, 2, 3};
  const auto distance = [&](int d) { return std::abs(a.strides_bytes[at(d)]); };
  std::stable_sort(order.begin(), order.begin() + dimensions, [&](int x, int y) { return distance(x) > distance(y); });
  return order;
}

namespace {

void check_nesting(const array_layout& a, int dimensions, const std::string& what) {
  const dimension_order order = walking_order(a, dimensions);
  index_t reach = as_index(a.element_bytes);  // of the dimensions walked so far, fastest first
  for (int i = dimensions - 1; i >= 0; --i) {
    const int d = order[at(i)];
    if (a.extents[at(d)] == 1) continue;
    const index_t stride = std::abs(a.strides_bytes[at(d)]);
    if (stride < reach)
      throw usage_error(text(what, " has a stride of ", a.strides_bytes[at(d)], " bytes in dimension ",
                             axis_number(d, dimensions), ", which lets elements overlap; at least ", reach,
                             " are needed"));
    reach += stride * (a.extents[at(d)] - 1);
  }
}

}  // namespace

void check_layout(const array_layout& a, const box& cells, const std::string& what) {
  if (cells.is_empty()) return;
  for (int d = 0; d < cells.dimensions; ++d)
    if (a.extents[at(d)] != cells.extent(d))
      throw usage_error(text(what, " has ", a.extents[at(d)], " elements in dimension ",
                             axis_number(d, cells.dimensions), "; own cells and ghosts make ", cells.extent(d)));
  for (int d = cells.dimensions; d < max_dimensions; ++d)
    if (a.extents[at(d)] > 1)
      throw usage_error(text(what, " has more dimensions than its grid, which has ", cells.dimensions));
  if (a.data == nullptr)
    throw usage_error(
        text(what, " has no memory (null pointer) on a rank that owns ", box_in_words(cells), " with its ghosts"));
  check_nesting(a, cells.dimensions, what);
}

byte_span span_of(const array_layout& a, int dimensions) noexcept {
  byte_span span{0, as_index(a.element_bytes)};
  for (int d = 0; d < dimensions; ++d) {
    if (a.extents[at(d)] <= 0) return {};
    const index_t reach = (a.extents[at(d)] - 1) * a.strides_bytes[at(d)];
    (reach < 0 ? span.lower : span.upper) += reach;
  }
  return span;
}

exchange::strided_box cells_in_memory(const array_layout& a, const box& held, const box& wanted,
                                      const dimension_order& order) {
  exchange::strided_box b;
  b.element_bytes = as_index(a.element_bytes);
  b.offset_bytes = -span_of(a, held.dimensions).lower;
  for (int i = 0; i < held.dimensions; ++i) {
    const int d = order[at(i)];
    b.offset_bytes += (wanted.lower[at(d)] - held.lower[at(d)]) * a.strides_bytes[at(d)];
    b.extents.push_back(wanted.extent(d));
    b.strides_bytes.push_back(a.strides_bytes[at(d)]);
  }
  return b;
}

}  // namespace nearfar
