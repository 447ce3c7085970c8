// SPDX-License-Identifier: BSD-3-Clause
// The staging area of transpositions in place: a copy of the rank's part in near memory, in the order of the source,
// without padding.
#pragma once

#include <near/arena.hpp>
#include <transpose/side.hpp>

namespace nearfar {

class staging {
 public:
  /// @throws resource_error naming the bytes
  staging(near::arena& arena, const transpose_side& from, index_t fields, index_t element_bytes);
  const array_shape& shape() const noexcept { return shape_; }
  std::byte* field(std::size_t i) const noexcept { return block_.data() + as_index(i) * field_bytes_; }
  /// Copies the own parts of all fields from the caller's arrays.
  void fill(const std::vector<std::byte*>& fields);

 private:
  array_shape held_, shape_;
  exchange::strided_box there_, here_;  ///< of one field
  index_t field_bytes_ = 0;
  near::block block_;
};

}  // namespace nearfar
