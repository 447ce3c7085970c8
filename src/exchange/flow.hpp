// SPDX-License-Identifier: BSD-3-Clause
// A flow: all data from this rank to one peer, or from the peer, in one exchange, as a list of pieces of memory.
#pragma once

#include <sys/uio.h>

#include <base/numbers.hpp>
#include <cstddef>
#include <exchange/pattern.hpp>
#include <string>
#include <vector>

#include "copy.hpp"

namespace nearfar::exchange {

/// What both sides of a movement know of one side of it.
struct transfer_facts {
  index_t element_bytes = 0;
  index_t run_bytes = 0;  ///< shortest contiguous run
  index_t runs = 0;
  bool is_in_arena = false;
  std::vector<index_t> extents;

  index_t bytes() const noexcept;
};

/// A region of this rank, ready to be walked.
struct piece {
  index_t bytes = 0;
  walk where;
};

struct flow {
  int peer = 0;
  int peer_node = 0;
  int peer_near_rank = -1;   ///< -1: far
  bool is_answered = false;  ///< the peer has a flow to this rank as well, carried by the same kind of method
  index_t bytes = 0;
  std::vector<const transfer*> transfers;
  std::vector<transfer_facts> here, there;
  std::vector<piece> pieces;

  bool is_near() const noexcept { return peer_near_rank >= 0; }
  bool is_self = false;
  bool stores_past_caches = false;  ///< where a far message is unpacked

  void pack_into(std::byte* to) const;
  /// Stores a byte of each cache line of the pieces as it is.
  void touch() const;
  bool holds_zeros() const;
  void fill_with_test_values() const;
  void fill_with_zeros() const;
  void unpack_from(const std::byte* from) const;
  /// The flow's one contiguous piece; null if it has more.
  std::byte* one_piece() const;
  /// The memory of the pieces, run by run in their order.
  std::vector<iovec> runs() const;
};

}  // namespace nearfar::exchange
