// SPDX-License-Identifier: BSD-3-Clause
// Transforms for x86 processors with AVX2, in vectors of 32 bytes; src/CMakeLists.txt adds the options to this file's
// compilation.
#ifdef __AVX2__
#define NEARFAR_FOURIER_BYTES 32
#include "cosine_bundle.hpp"

namespace nearfar::fourier::avx2 {

constexpr const char* variant_name = "avx2";
#include "variant.inc"
bool is_usable() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

}  // namespace nearfar::fourier::avx2
#else
#include "../job.hpp"

namespace nearfar::fourier::avx2 {

const kernels<float> for_float{};
const kernels<double> for_double{};
bool is_usable() { return false; }

}  // namespace nearfar::fourier::avx2
#endif
