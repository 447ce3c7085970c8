// SPDX-License-Identifier: BSD-3-Clause
// Kernels for any processor.
#include <kernels/table.hpp>

namespace seismic::plain {

const kernel_table* kernels() noexcept {
  static constexpr kernel_table table = table_of<4>("plain");
  return &table;
}

}  // namespace seismic::plain
