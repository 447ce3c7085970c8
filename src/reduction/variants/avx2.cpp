// SPDX-License-Identifier: BSD-3-Clause
// All kernels for x86 processors with AVX2; src/CMakeLists.txt adds the option to this file's compilation.
#ifdef __AVX2__
#include "loops.hpp"
#include "split_loops.hpp"

namespace nearfar::reduction::avx2 {

const kernel* find(element type, operation op) { return find_loop(type, op); }
const exact_loops exact = loops_for_exact_sums;
bool is_usable() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

}  // namespace nearfar::reduction::avx2
#else
#include "exact/split.hpp"
#include "kernel.hpp"

namespace nearfar::reduction::avx2 {

const kernel* find(element, operation) { return nullptr; }
const exact_loops exact{};
bool is_usable() { return false; }

}  // namespace nearfar::reduction::avx2
#endif
