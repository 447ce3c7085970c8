// SPDX-License-Identifier: BSD-3-Clause
// The library's kernels, as CUDA's driver takes them.
#pragma once

namespace nearfar::device {

/// A fat binary; null: the library was built without nvcc.
const void* kernel_image() noexcept;

/// For tests with a driver of their own: what it is given in place of this build's; null: this build's again.
void replace_kernel_image(const void* image) noexcept;

}  // namespace nearfar::device
