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
/// @throws usage_error  a negative count, no list
std::vector<std::string> names_of(const char* const* list, int count);

inline transpose_arrays arrays_of(const void* const* each, std::size_t count, std::size_t element_bytes) {
  return {const_cast<void* const*>(each), count, element_bytes};
}

inline void write(const box& from, nearfar_box* to) {
  std::copy(from.lower.begin(), from.lower.end(), to->lower);
  std::copy(from.upper.begin(), from.upper.end(), to->upper);
}

}  // namespace nearfar::capi
