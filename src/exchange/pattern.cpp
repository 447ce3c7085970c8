// SPDX-License-Identifier: BSD-3-Clause
// Sizes and bounds of regions.
#include <algorithm>
#include <exchange/pattern.hpp>

namespace nearfar::exchange {

index_t strided_box::elements() const noexcept {
  index_t n = 1;
  for (const index_t e : extents) n *= std::max<index_t>(e, 0);
  return n;
}

bool strided_box::is_within(index_t buffer_bytes) const noexcept {
  if (elements() == 0) return true;
  index_t lowest = offset_bytes, highest = offset_bytes + element_bytes;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const index_t reach = (extents[d] - 1) * strides_bytes[d];
    (reach < 0 ? lowest : highest) += reach;
  }
  return lowest >= 0 && highest <= buffer_bytes;
}

}  // namespace nearfar::exchange
