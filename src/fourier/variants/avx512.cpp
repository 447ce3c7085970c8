// SPDX-License-Identifier: BSD-3-Clause
// Transforms for x86 processors with AVX-512, in vectors of 64 bytes; src/CMakeLists.txt adds the options to this
// file's compilation.
#ifdef __AVX512DQ__
#define NEARFAR_FOURIER_BYTES 64
#include "cosine_bundle.hpp"

namespace nearfar::fourier::avx512 {

constexpr const char* variant_name = "avx512";
#include "variant.inc"
bool is_usable() {
  return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
}

}  // namespace nearfar::fourier::avx512
#else
#include "../job.hpp"

namespace nearfar::fourier::avx512 {

const kernels<float> for_float{};
const kernels<double> for_double{};
bool is_usable() { return false; }

}  // namespace nearfar::fourier::avx512
#endif
