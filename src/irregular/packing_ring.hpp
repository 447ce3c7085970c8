// SPDX-License-Identifier: BSD-3-Clause
// Shared memory for packing, used piece after piece.
#pragma once

#include <array>
#include <near/arena.hpp>

namespace nearfar::irregular {

/// Data that a reader has read stays in its cache, and the next store there waits until that cache has given the line
/// up. Before a piece of the ring is used again, its lines have left the second-level caches, and a store takes a third
/// of the time.
///
/// Two slots hold a piece each that readers may still read: a slot's piece is free when the slot asks for the next one.
class packing_ring {
 public:
  /// As many pieces as make `bytes`, but no more than most_pieces, and two in any case.
  explicit packing_ring(index_t bytes = 0) : ring_bytes_(bytes) {}

  /// A piece for the slot (0 or 1), another than the other slot's. Local. @throws resource_error
  std::byte* next(near::arena& memory, std::size_t slot, index_t bytes);
  const near::handle& place(std::size_t slot) const noexcept { return held_[slot].place; }

  /// All memory there is, for when no reader has any of it.
  std::array<near::block, 3> give_up() noexcept;

  static constexpr index_t most_pieces = 64;

 private:
  struct held {
    index_t turn = -1;  ///< its piece of the ring; -1: none
    near::handle place;
    near::block outgrown;  ///< has its piece, where the ring has grown since
  };
  void grow(near::arena& memory, held& other, index_t bytes);

  index_t ring_bytes_, piece_bytes_ = 0, pieces_ = 0, turn_ = 0;
  near::block space_;
  near::handle first_;
  std::array<held, 2> held_;
};

}  // namespace nearfar::irregular
