// SPDX-License-Identifier: BSD-3-Clause
// The dimensions of a box as loops of copies.
#include "device_copy.hpp"

#include <device/device.hpp>

namespace nearfar::output {

void copy_box_from_device(const strided_box& shape, std::byte* to, const std::byte* from) {
  const strided_box s = merged(shape);
  std::array<device::loop, max_dimensions> loops;
  const auto dimensions = as_size(s.dimensions);
  for (std::size_t d = 0; d < dimensions; ++d) loops[d] = {s.extents[d], s.from_strides[d], s.to_strides[d]};
  device::copy_box(to, from, s.element_bytes, std::span(loops).first(dimensions), device::direction::to_host);
}

}  // namespace nearfar::output
