// SPDX-License-Identifier: BSD-3-Clause
// Planes for x86 processors with AVX2; src/CMakeLists.txt adds the option to this file's compilation.
#include "plane.hpp"

#ifdef __AVX2__
namespace nearfar::exchange {
namespace {
constexpr index_t vector_bytes = 32;
}
}  // namespace nearfar::exchange

#include "loops.hpp"

namespace nearfar::exchange::avx2 {

plane_kernel find(index_t element_bytes) {
  return __builtin_cpu_supports("avx2") != 0 ? find_kernel(element_bytes) : nullptr;
}

run_kernel find_past_caches() { return __builtin_cpu_supports("avx2") != 0 ? copy_runs_past_caches : nullptr; }

}  // namespace nearfar::exchange::avx2
#else
namespace nearfar::exchange::avx2 {

plane_kernel find(index_t) { return nullptr; }
run_kernel find_past_caches() { return nullptr; }

}  // namespace nearfar::exchange::avx2
#endif
