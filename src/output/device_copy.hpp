// SPDX-License-Identifier: BSD-3-Clause
// Copies a box out of GPU memory.
#pragma once

#include "box_copy.hpp"

namespace nearfar::output {

/// `from` is in GPU memory. Returns when it may be overwritten. @throws resource_error  what CUDA says
void copy_box_from_device(const strided_box& shape, std::byte* to, const std::byte* from);

}  // namespace nearfar::output
