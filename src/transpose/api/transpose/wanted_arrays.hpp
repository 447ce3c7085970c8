// SPDX-License-Identifier: BSD-3-Clause
// Checks of the caller's arrays, common to transpose plans, stages and FFT plans.
#pragma once

#include <transpose/side.hpp>

namespace nearfar {

/// What the arrays of one side of a plan are to be.
struct wanted_arrays {
  const char* name;  ///< "in", "physical"
  const transpose_side* side;
  index_t fields;
  index_t elements;  ///< of a field on this rank, padding included
  index_t element_bytes;
  const char* kind = "";  ///< "real", "complex", or any

  index_t field_bytes() const noexcept { return elements * element_bytes; }
  /// Of one array: all fields where they share it.
  index_t length() const noexcept {
    return elements == 0 ? 0 : elements + (side->field_stride > 0 ? (fields - 1) * side->field_stride : 0);
  }
};

/// Number, size of elements, presence, lengths. @throws usage_error
void check_arrays(const std::string& title, const wanted_arrays& wanted, const transpose_arrays& arrays);

/// True if the arrays of each field start at one address on both sides. @throws usage_error  for any other overlap of a
/// field of one side with one of the other
bool check_overlaps(const std::string& title, const wanted_arrays& a, const transpose_arrays& a_arrays,
                    const wanted_arrays& b, const transpose_arrays& b_arrays);

/// Those of a side that is written to. @throws usage_error  if fields overlap each other
void check_distinct(const std::string& title, const wanted_arrays& wanted, const transpose_arrays& arrays);

}  // namespace nearfar
