// SPDX-License-Identifier: BSD-3-Clause
// All kernels for any processor; CMakeLists.txt makes a file per order that includes this one.
#pragma once

#include <element/solver_loops.hpp>

namespace adaptive_heat::plain {

template <int N>
const kernel_table* find() {
  static constexpr kernel_table table = table_of<2, N>("plain");
  return &table;
}

}  // namespace adaptive_heat::plain
