// SPDX-License-Identifier: BSD-3-Clause
// The kernels of this build, as the driver takes them.
#pragma once

namespace seismic::gpu {

/// A fat binary; null: the program was built without nvcc.
const void* kernel_image() noexcept;

/// Ten times the capability that a card must have at least: 75 is 7.5.
int least_capability() noexcept;

/// For tests with a driver of their own: what it is given in place of this build's; null: this build's again.
void replace_kernel_image(const void* image, int least_capability = 0) noexcept;

}  // namespace seismic::gpu
