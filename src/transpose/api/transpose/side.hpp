// SPDX-License-Identifier: BSD-3-Clause
// One side of a plan on this rank: shapes of arrays, and boxes of them as regions of memory.
#pragma once

#include <exchange/pattern.hpp>
#include <transpose/decomposition.hpp>

namespace nearfar {

/// The side's order with the default written out. @throws usage_error unless it is a permutation
std::vector<int> checked_order(const transpose_side& side);

/// `wanted` in an array of `shape`, axes listed as `order` says.
exchange::strided_box box_in_array(const array_shape& shape, const box& wanted, const std::vector<int>& order,
                                   index_t element_bytes);

/// Where a field starts in the caller's arrays; null if this rank owns nothing.
inline std::byte* field_of(const transpose_side& side, const transpose_arrays& arrays, std::size_t field) {
  if (side.parts.own().is_empty()) return nullptr;
  if (side.field_stride == 0) return static_cast<std::byte*>(arrays[field]);
  return static_cast<std::byte*>(arrays[0]) + as_index(field) * side.field_stride * as_index(arrays.element_bytes());
}

/// Bytes from the first field to the end of the last one where they share an array; else of one field.
index_t array_bytes(const transpose_side& side, const array_shape& shape, index_t fields, index_t element_bytes);

/// What describe() says, with marks (base/axis_names.hpp).
std::string description_of(const decomposition& parts);
std::string description_of(const transpose_plan& plan);
/// What start(in, out) of the plan checks, and nothing more. Local. @throws usage_error  where it would
void check_start(const transpose_plan& plan, const transpose_arrays& in, const writable_transpose_arrays& out);
/// A line: name, decomposition and order in memory, with marks.
std::string describe_side(const char* name, const transpose_side& side);

/// Widths, stride of fields. @throws usage_error
void check_side(const transpose_side& side, index_t fields, const char* name);

}  // namespace nearfar
