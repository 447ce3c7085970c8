// SPDX-License-Identifier: BSD-3-Clause
// What moves between two sides: the boxes that the decompositions have in common, as regions of their arrays.
#pragma once

#include <exchange/pattern.hpp>
#include <transpose/side.hpp>

namespace nearfar {

struct side_array {
  const transpose_side& side;
  const array_shape& shape;
};

/// Sends are of buffers 0, 2, 4 …, receives of buffers 1, 3, 5 …, one of each per field; the buffers are not filled in.
/// Local.
exchange::pattern movement_between(const side_array& from, const side_array& to, index_t fields, index_t element_bytes);

}  // namespace nearfar
