// SPDX-License-Identifier: BSD-3-Clause
// Which ghost cells come from which rank, and which own cells go to which rank.
//
//   ghost piece = (reader's tile grown by its widths, without the tile) ∩ (owner's tile displaced by whole periods)
//
// Reader and owner compute the same pieces from the same two tiles and sort them alike, so that the k-th piece of one
// is the k-th of the other, and no description is sent.
#pragma once

#include <nearfar/halo.hpp>

#include "layout.hpp"
#include "neighbours.hpp"

namespace nearfar {

/// Ghost cells of a reader that one tile owns.
struct ghost_piece {
  int peer = 0;  ///< the other rank: the owner when receiving, the reader when sending
  image copy{};  ///< displacement of the owner's copy, as the reader sees it
  int face = 0;  ///< star: 2 * dimension + side; box: 0
  box cells;     ///< of this rank: ghost cells when receiving (outside the grid where periodic), own cells when sending
};

/// The pieces that `owner` (displaced by `copy`) gives to the tile `reader`; the rule that both ends apply. Local.
std::vector<ghost_piece> pieces_between(const grid_state& g, const box& reader, const box& owner, const image& copy,
                                        const ghosts& widths, stencil shape);

/// All pieces that this rank receives or sends, sorted by (peer, copy, face): the k-th of a rank to a peer is the k-th
/// of that peer from it. Local.
std::vector<ghost_piece> received_pieces(const grid_state& g, const ghosts& widths, stencil shape);
std::vector<ghost_piece> sent_pieces(const grid_state& g, const ghosts& widths, stencil shape);

/// The pieces as regions of an array that holds the cells `held`; of the buffer of that number. Local.
std::vector<exchange::transfer> transfers_of(const array_layout& a, const box& held, int buffer,
                                             const dimension_order& order, const std::vector<ghost_piece>& pieces);

}  // namespace nearfar
