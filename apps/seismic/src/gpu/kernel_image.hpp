// SPDX-License-Identifier: BSD-3-Clause
// The kernels of this build, as the driver takes them.
#pragma once

namespace seismic::gpu {

/// A fat binary; null: the program was built without nvcc.
const void* kernel_image() noexcept;

/// For tests with a driver of their own: what it is given in place of this build's.
void replace_kernel_image(const void* image) noexcept;

}  // namespace seismic::gpu
