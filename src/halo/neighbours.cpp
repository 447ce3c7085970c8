// SPDX-License-Identifier: BSD-3-Clause
// Looking across faces and periodic boundaries.
#include "neighbours.hpp"

namespace nearfar {

std::array<index_t, max_dimensions> displacement(const grid_state& g, const image& copy) noexcept {
  std::array<index_t, max_dimensions> by{};
  for (int d = 0; d < g.dimensions(); ++d) by[at(d)] = copy[at(d)] * g.extents[at(d)];
  return by;
}

void for_each_image(const grid_state& g, const std::function<void(const image&)>& visit) {
  image copy{};
  for (int d = 0; d < g.dimensions(); ++d) copy[at(d)] = g.periodic[at(d)] ? -1 : 0;
  for (;;) {
    visit(copy);
    int d = g.dimensions() - 1;
    while (d >= 0 && (!g.periodic[at(d)] || copy[at(d)] == 1)) copy[at(d)] = g.periodic[at(d)] ? -1 : 0, --d;
    if (d < 0) return;
    ++copy[at(d)];
  }
}

std::vector<tile> tiles_at_face(const grid_state& g, const box& from, int d, side s) {
  if (from.is_empty()) return {};
  box layer = slab_outside(from, d, s, 1);
  const index_t n = g.extents[at(d)];
  const index_t back = layer.lower[at(d)] < 0 ? n : layer.upper[at(d)] > n ? -n : 0;
  if (back != 0 && !g.periodic[at(d)]) return {};
  layer.lower[at(d)] += back, layer.upper[at(d)] += back;
  return tiles_in(g.tiles, layer);
}

index_t cells_at_face(const box& from, const tile& t, int d) noexcept {
  box across = t.cells;
  across.lower[at(d)] = from.lower[at(d)], across.upper[at(d)] = from.upper[at(d)];
  return intersection(across, from).cells() / from.extent(d);
}

}  // namespace nearfar
