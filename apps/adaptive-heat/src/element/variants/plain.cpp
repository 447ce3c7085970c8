// SPDX-License-Identifier: BSD-3-Clause
// All kernels for any processor.
#include <element/solver_loops.hpp>

namespace adaptive_heat::plain {

const kernel_table* find() {
  static constexpr kernel_table table = table_of<2>("plain");
  return &table;
}

}  // namespace adaptive_heat::plain
