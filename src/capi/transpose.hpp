// SPDX-License-Identifier: BSD-3-Clause
// Sides and boxes as C programs describe them, and as C++ takes them.
#pragma once

#include <algorithm>

#include "handles.hpp"

namespace nearfar::capi {

/// @throws usage_error  a side or decomposition that is NULL, negative padding
transpose_side side_of(const nearfar_transpose_side* from, const char* name);

/// @throws usage_error  a count below 1, no list
std::size_t count_of(int64_t count, const void* list, const char* name);

/// @throws usage_error  a negative length, no list of arrays or of their lengths
void check_lengths(const void* list, const int64_t* elements, std::size_t count, const char* name);

inline transpose_arrays arrays_of(const void* const* each, const int64_t* elements, std::size_t count,
                                  std::size_t element_bytes) {
  return {each, elements, count, element_bytes};
}
inline writable_transpose_arrays arrays_of(void* const* each, const int64_t* elements, std::size_t count,
                                           std::size_t element_bytes) {
  return {each, elements, count, element_bytes};
}

inline void write(const box& from, nearfar_box* to) {
  std::copy(from.lower.begin(), from.lower.end(), to->lower);
  std::copy(from.upper.begin(), from.upper.end(), to->upper);
}

}  // namespace nearfar::capi
