// SPDX-License-Identifier: BSD-3-Clause
// All kernels for the instruction set that the library is built for.
#include "loops.hpp"
#include "split_loops.hpp"

namespace nearfar::reduction::plain {

const kernel* find(element type, operation op) { return find_loop(type, op); }
const exact_loops exact = loops_for_exact_sums;

}  // namespace nearfar::reduction::plain
