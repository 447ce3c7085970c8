// SPDX-License-Identifier: BSD-3-Clause
// The file that nvcc has made becomes a part of the program, on a line of the cache.
#include <gpu/kernel_image.hpp>

#ifdef SEISMIC_KERNELS
__asm__(
    ".section .rodata\n"
    ".balign 64\n"
    ".global seismic_kernels\n"
    ".hidden seismic_kernels\n"
    "seismic_kernels:\n"
    ".incbin \"" SEISMIC_KERNELS
    "\"\n"
    ".byte 0\n"
    ".previous\n");
extern "C" const unsigned char seismic_kernels[];
#endif

namespace seismic::gpu {

namespace {
const void* replaced = nullptr;
int replaced_least = 0;
}  // namespace

const void* kernel_image() noexcept {
  if (replaced != nullptr) return replaced;
#ifdef SEISMIC_KERNELS
  return seismic_kernels;
#else
  return nullptr;
#endif
}

int least_capability() noexcept {
  if (replaced != nullptr) return replaced_least;
#ifdef SEISMIC_KERNELS
  return SEISMIC_LEAST_CAPABILITY;
#else
  return 0;
#endif
}

void replace_kernel_image(const void* image, int least_capability) noexcept {
  replaced = image, replaced_least = least_capability;
}

}  // namespace seismic::gpu
