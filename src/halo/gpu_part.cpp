// SPDX-License-Identifier: BSD-3-Clause
// Lists of the elements of boxes, and the same boxes without gaps.
#include "gpu_part.hpp"

#include <algorithm>
#include <base/text.hpp>

namespace nearfar {
namespace {

/// The places of a box's elements in its order, counted from the first byte of its array.
void append_places(std::vector<index_t>& places, const exchange::strided_box& b) {
  const std::size_t dimensions = b.extents.size();
  std::vector<index_t> at(dimensions, 0);
  for (index_t left = b.elements(); left > 0; --left) {
    index_t bytes = b.offset_bytes;
    for (std::size_t d = 0; d < dimensions; ++d) bytes += at[d] * b.strides_bytes[d];
    places.push_back(bytes / b.element_bytes);
    for (std::size_t d = dimensions; d-- > 0;) {
      if (++at[d] < b.extents[d]) break;
      at[d] = 0;
    }
  }
}

}  // namespace

gpu_part::side::side(near::arena& arena, index_t element_bytes, std::vector<exchange::transfer>& transfers) {
  std::vector<index_t> places;
  for (exchange::transfer& t : transfers) {
    const index_t at = as_index(places.size()) * element_bytes;
    append_places(places, t.where);
    t.where = exchange::packed(t.where, at);
  }
  size = as_index(places.size()) * element_bytes;
  memory = arena.allocate(std::max<index_t>(size, 1));
  pinned = device::pinned(memory.data(), size);
  elements = device::packer(places);
}

gpu_part::gpu_part(near::arena& arena, index_t element_bytes, std::vector<exchange::transfer>& sends,
                   std::vector<exchange::transfer>& receives)
    : element_bytes_(element_bytes), sent_(arena, element_bytes, sends), received_(arena, element_bytes, receives) {}

std::string gpu_part::describe() const {
  const bool has_kernels = sent_.elements.has_kernels() && received_.elements.has_kernels();
  const bool is_pinned =
      (sent_.size == 0 || sent_.pinned.is_pinned()) && (received_.size == 0 || received_.pinned.is_pinned());
  return text("GPU memory, packed by ", has_kernels ? "kernels" : "copies of rows (no kernels)", ", through ",
              is_pinned ? "pinned" : "pageable", " near memory");
}

}  // namespace nearfar
