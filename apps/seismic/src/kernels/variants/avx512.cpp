// SPDX-License-Identifier: BSD-3-Clause
// Kernels for x86 processors with avx512; CMakeLists.txt adds the options.
#include <kernels/kernels.hpp>

#ifdef __AVX512DQ__
#include <kernels/table.hpp>

namespace seismic::avx512 {

const kernel_table* kernels() noexcept {
  static constexpr kernel_table table = table_of<16>("avx512");
  const bool is_usable = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
  return is_usable ? &table : nullptr;
}

}  // namespace seismic::avx512
#else
namespace seismic::avx512 {

const kernel_table* kernels() noexcept { return nullptr; }

}  // namespace seismic::avx512
#endif
