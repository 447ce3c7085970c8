// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on boxes of cells and ghost widths.
#include "boxes.hpp"

#include <algorithm>
#include <base/text.hpp>

namespace nearfar {

box box_of(const std::vector<index_t>& extents) {
  box all{static_cast<int>(extents.size()), {}, {}};
  std::copy(extents.begin(), extents.end(), all.upper.begin());
  return all;
}

box shifted(const box& b, const std::array<index_t, max_dimensions>& by) noexcept {
  box moved = b;
  for (int d = 0; d < b.dimensions; ++d) moved.lower[at(d)] += by[at(d)], moved.upper[at(d)] += by[at(d)];
  return moved;
}

ghosts mirrored(const ghosts& widths) noexcept {
  ghosts turned;
  for (int d = 0; d < max_dimensions; ++d) turned.set(d, widths.high(d), widths.low(d));
  return turned;
}

box slab_outside(const box& b, int d, side s, index_t width) noexcept {
  box slab = b;
  if (s == side::low) {
    slab.upper[at(d)] = b.lower[at(d)];
    slab.lower[at(d)] = b.lower[at(d)] - width;
  } else {
    slab.lower[at(d)] = b.upper[at(d)];
    slab.upper[at(d)] = b.upper[at(d)] + width;
  }
  return slab;
}

region without(const box& whole, const box& hole) {
  if (whole.is_empty()) return {};
  if (hole.is_empty()) return {whole};
  region rest;
  box left = whole;  // what is not yet in `rest`; shrinks to the hole
  for (int d = 0; d < whole.dimensions; ++d) {
    box below = left, above = left;
    below.upper[at(d)] = left.lower[at(d)] = hole.lower[at(d)];
    above.lower[at(d)] = left.upper[at(d)] = hole.upper[at(d)];
    for (const box& piece : {below, above})
      if (!piece.is_empty()) rest.push_back(piece);
  }
  return rest;
}

}  // namespace nearfar
