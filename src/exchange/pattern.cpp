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

strided_box packed(const strided_box& shape, index_t offset_bytes) {
  strided_box p{offset_bytes, shape.element_bytes, shape.extents, shape.strides_bytes};
  index_t step = shape.element_bytes;
  for (std::size_t i = shape.extents.size(); i-- > 0;) {
    p.strides_bytes[i] = step;
    step *= shape.extents[i];
  }
  return p;
}

}  // namespace nearfar::exchange
