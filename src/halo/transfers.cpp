// SPDX-License-Identifier: BSD-3-Clause
// Ghost regions cut along the tiles that own them.
#include "transfers.hpp"

#include <algorithm>
#include <tuple>

namespace nearfar {
namespace {

struct layer {
  int face = 0;
  box cells;
};

// The ghosts of a tile as boxes: all around it in one (its own cells inside do no harm: nobody else owns them), or a
// slab per face.
std::vector<layer> layers_of(const box& tile, const ghosts& widths, stencil shape) {
  if (shape == stencil::box) return {{0, grown(tile, widths)}};
  std::vector<layer> slabs;
  for (int d = 0; d < tile.dimensions; ++d) {
    slabs.push_back({2 * d, slab_outside(tile, d, side::low, widths.low(d))});
    slabs.push_back({2 * d + 1, slab_outside(tile, d, side::high, widths.high(d))});
  }
  return slabs;
}

std::array<index_t, max_dimensions> opposite(std::array<index_t, max_dimensions> by) noexcept {
  for (index_t& b : by) b = -b;
  return by;
}

bool is_itself(const grid_state& g, const tile& t, const image& copy) noexcept {
  return t.rank == g.members.rank() && copy == image{};
}

std::vector<ghost_piece> sorted(std::vector<ghost_piece> pieces) {
  std::sort(pieces.begin(), pieces.end(), [](const ghost_piece& a, const ghost_piece& b) {
    return std::tie(a.peer, a.copy, a.face) < std::tie(b.peer, b.copy, b.face);
  });
  return pieces;
}

}  // namespace

std::vector<ghost_piece> pieces_between(const grid_state& g, const box& reader, const box& owner, const image& copy,
                                        const ghosts& widths, stencil shape) {
  std::vector<ghost_piece> pieces;
  const box seen = shifted(owner, displacement(g, copy));
  for (const layer& l : layers_of(reader, widths, shape)) {
    const box cells = intersection(l.cells, seen);
    if (!cells.is_empty()) pieces.push_back({0, copy, l.face, cells});
  }
  return pieces;
}

std::vector<ghost_piece> received_pieces(const grid_state& g, const ghosts& widths, stencil shape) {
  std::vector<ghost_piece> all;
  if (g.own.is_empty()) return all;
  for_each_image(g, [&](const image& copy) {
    const box wanted = shifted(grown(g.own, widths), opposite(displacement(g, copy)));
    for (const tile& t : tiles_in(g.tiles, intersection(wanted, g.all()))) {
      if (is_itself(g, t, copy)) continue;
      for (ghost_piece p : pieces_between(g, g.own, t.cells, copy, widths, shape)) {
        p.peer = t.rank;
        all.push_back(p);
      }
    }
  });
  return sorted(std::move(all));
}

// A tile reads this rank's copy exactly if it meets that copy grown by the mirrored widths.
std::vector<ghost_piece> sent_pieces(const grid_state& g, const ghosts& widths, stencil shape) {
  std::vector<ghost_piece> all;
  if (g.own.is_empty()) return all;
  const box seen = grown(g.own, mirrored(widths));
  for_each_image(g, [&](const image& copy) {
    const auto by = displacement(g, copy);
    for (const tile& t : tiles_in(g.tiles, intersection(shifted(seen, by), g.all()))) {
      if (is_itself(g, t, copy)) continue;
      for (ghost_piece p : pieces_between(g, t.cells, g.own, copy, widths, shape)) {
        p.peer = t.rank;
        p.cells = shifted(p.cells, opposite(by));
        all.push_back(p);
      }
    }
  });
  return sorted(std::move(all));
}

std::vector<exchange::transfer> transfers_of(const array_layout& a, const box& held, int buffer,
                                             const dimension_order& order, const std::vector<ghost_piece>& pieces) {
  std::vector<exchange::transfer> all;
  for (const ghost_piece& piece : pieces)
    all.push_back({piece.peer, buffer, cells_in_memory(a, held, piece.cells, order)});
  return all;
}

}  // namespace nearfar
