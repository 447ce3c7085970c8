// SPDX-License-Identifier: BSD-3-Clause
// Copies a rank's part into the staging area.
#include "staging.hpp"

#include <algorithm>
#include <cstring>

namespace nearfar {

namespace {

/// Calls body(offset in the array, offset in the staging, bytes) for each line of the part.
template <class Body>
void for_lines(const exchange::strided_box& there, const exchange::strided_box& here, Body body) {
  const std::size_t fast = there.extents.size() - 1;
  std::vector<index_t> at(there.extents.size(), 0);
  for (;;) {
    index_t from = there.offset_bytes, to = here.offset_bytes;
    for (std::size_t d = 0; d < fast; ++d) from += at[d] * there.strides_bytes[d], to += at[d] * here.strides_bytes[d];
    body(from, to, there.extents[fast] * there.element_bytes);
    std::size_t d = fast;
    while (d > 0 && ++at[d - 1] == there.extents[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

}  // namespace

staging::staging(near::arena& arena, const transpose_side& from, index_t fields, index_t element_bytes) {
  const std::vector<int> order = checked_order(from);
  transpose_side dense = from;
  dense.padding = 0;
  held_ = shape_of(from);
  shape_ = shape_of(dense);
  there_ = box_in_array(held_, from.parts.own(), order, element_bytes);
  here_ = box_in_array(shape_, from.parts.own(), order, element_bytes);
  field_bytes_ = shape_.elements * element_bytes;
  block_ = arena.allocate(std::max<index_t>(field_bytes_ * fields, 1));
}

void staging::fill(const std::vector<std::byte*>& fields) {
  if (field_bytes_ == 0) return;
  for (std::size_t i = 0; i < fields.size(); ++i)
    for_lines(there_, here_, [&](index_t from, index_t to, index_t bytes) {
      std::memcpy(field(i) + to, fields[i] + from, as_size(bytes));
    });
}

}  // namespace nearfar
