// SPDX-License-Identifier: BSD-3-Clause
// The state of a field: its grid, its ghosts and the memory of its elements.
#pragma once

#include <near/arena.hpp>
#include <nearfar/field.hpp>

namespace nearfar {

struct field_state {
  grid cells;
  ghosts widths;
  array_layout layout;
  near::block memory;  ///< empty for a rank without cells
};

}  // namespace nearfar
