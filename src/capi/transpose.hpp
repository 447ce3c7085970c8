// SPDX-License-Identifier: BSD-3-Clause
// Sides and boxes as C programs describe them, and as C++ takes them.
#pragma once

#include <algorithm>

#include "handles.hpp"

namespace nearfar::capi {

/// @throws usage_error  a side or decomposition that is NULL, negative padding
transpose_side side_of(const nearfar_transpose_side* from, const char* name);

inline void write(const box& from, nearfar_box* to) {
  std::copy(from.lower.begin(), from.lower.end(), to->lower);
  std::copy(from.upper.begin(), from.upper.end(), to->upper);
}

}  // namespace nearfar::capi
