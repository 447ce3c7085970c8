// SPDX-License-Identifier: BSD-3-Clause
// Arrays and operations of irregular plans as C programs describe them, and as C++ takes them.
#pragma once

#include "handles.hpp"

namespace nearfar::capi {

/// Complex numbers are added as pairs of floats. @throws usage_error
irregular_array array_of(const nearfar_irregular_array& from, bool is_added, const char* name);

/// @throws usage_error  an operation that does not exist, or not for this type
detail::combiner combiner_of_call(const nearfar_irregular_call& call, const irregular_array& sample);

inline nearfar_irregular_array described(void* data, int64_t elements, nearfar_element_type type, int components) {
  return {data, elements, components, type, 0, 0};
}
inline nearfar_irregular_array described(const void* data, int64_t elements, nearfar_element_type type,
                                         int components) {
  return {const_cast<void*>(data), elements, components, type, 0, 1};
}

}  // namespace nearfar::capi
