// SPDX-License-Identifier: BSD-3-Clause
// Copies a plane of elements whose fast direction is one in the source and the other in the destination: a transposition in memory.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>

namespace nearfar::exchange {

/// Element (row, column) lies at `to + row * to_step + column * element_bytes` and at `from + row * element_bytes + column * from_step`.
struct plane {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  index to_step = 0, from_step = 0;  ///< bytes from row to row, and from column to column
  index rows = 0, columns = 0;
};

/// Copies planes of elements of one size. `past_caches`: whole lines are stored past the caches where rows start alike in lines
/// (near/past_caches.hpp); near::finish_past_caches() before others may read.
using plane_kernel = void (*)(const plane& p, index element_bytes, bool past_caches);

/// The fastest kernel that this processor has for elements of this size: 4, 8, 16 and 32 bytes go through registers in whole lines.
plane_kernel plane_kernel_for(index element_bytes);

/// The kernels of each instruction set, for tests: null where this processor or this build has none, or for other sizes than those four.
namespace plain {
plane_kernel find(index element_bytes);
}
namespace avx2 {
plane_kernel find(index element_bytes);
}
namespace avx512 {
plane_kernel find(index element_bytes);
}
/// Any size, element by element.
void copy_plane_of_any(const plane& p, index element_bytes, bool past_caches);

}  // namespace nearfar::exchange
