// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels for the processor that the program runs on.
#include "kernel.hpp"

#include "exact/split.hpp"

namespace nearfar::reduction {

const kernel* find_kernel(element type, operation op) {
  static const auto find = avx512::is_usable() ? &avx512::find : avx2::is_usable() ? &avx2::find : &plain::find;
  return find(type, op);
}

const exact_loops& exact_loops_here() {
  static const exact_loops& found = avx512::is_usable() ? avx512::exact
                                    : avx2::is_usable() ? avx2::exact
                                                        : plain::exact;
  return found;
}

}  // namespace nearfar::reduction
