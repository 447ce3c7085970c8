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

bool index_list::is_within(index_t buffer_bytes) const noexcept {
  if (indices.empty()) return true;
  const auto [lowest, highest] = std::minmax_element(indices.begin(), indices.end());
  return offset_bytes + *lowest * element_bytes >= 0 && offset_bytes + (*highest + 1) * element_bytes <= buffer_bytes;
}

index_t elements_of(const region& r) noexcept {
  return std::visit([](const auto& some) { return some.elements(); }, r);
}

index_t bytes_of(const region& r) noexcept {
  return std::visit([](const auto& some) { return some.elements() * some.element_bytes; }, r);
}

bool is_within(const region& r, index_t buffer_bytes) noexcept {
  return std::visit([&](const auto& some) { return some.is_within(buffer_bytes); }, r);
}

}  // namespace nearfar::exchange
