// SPDX-License-Identifier: BSD-3-Clause
// Kernels for x86 processors with avx2; CMakeLists.txt adds the options.
#include <kernels/kernels.hpp>

#ifdef __AVX2__
#include <kernels/table.hpp>

namespace seismic::avx2 {

const kernel_table* kernels() noexcept {
  static constexpr kernel_table table = table_of<8>("avx2");
  const bool is_usable = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return is_usable ? &table : nullptr;
}

}  // namespace seismic::avx2
#else
namespace seismic::avx2 {

const kernel_table* kernels() noexcept { return nullptr; }

}  // namespace seismic::avx2
#endif
