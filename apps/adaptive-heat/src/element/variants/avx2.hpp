// SPDX-License-Identifier: BSD-3-Clause
// All kernels for x86 processors with AVX2; CMakeLists.txt makes a file per order that includes this one, and adds the
// options.
#pragma once

#ifdef __AVX2__
#include <element/solver_loops.hpp>

namespace adaptive_heat::avx2 {

template <int N>
const kernel_table* find() {
  static constexpr kernel_table table = table_of<4, N>("avx2");
  const bool is_usable = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return is_usable ? &table : nullptr;
}

}  // namespace adaptive_heat::avx2
#else
#include <element/kernels.hpp>

namespace adaptive_heat::avx2 {

template <int N>
const kernel_table* find() {
  return nullptr;
}

}  // namespace adaptive_heat::avx2
#endif
