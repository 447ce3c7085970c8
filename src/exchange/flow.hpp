// SPDX-License-Identifier: BSD-3-Clause
// A flow: all that goes one way between this rank and one peer in one exchange, as a list of pieces of memory.
#pragma once

#include <sys/uio.h>

#include <base/numbers.hpp>
#include <cstddef>
#include <exchange/pattern.hpp>
#include <string>
#include <variant>
#include <vector>

#include "copy.hpp"

namespace nearfar::exchange {

/// What both sides of a movement know of one side of it.
struct transfer_facts {
  index_t element_bytes = 0;
  index_t run_bytes = 0;  ///< shortest contiguous run
  index_t runs = 0;
  bool is_box = false;
  bool is_in_arena = false;
  std::vector<index_t> extents;  ///< of a box; an index list has one: its length

  index_t bytes() const noexcept;
};

/// A region of this rank, ready to be walked.
struct piece {
  index_t bytes = 0;
  std::variant<walk, std::pair<std::byte*, const index_list*>> where;
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
  std::vector<std::byte> delivered;  ///< of an adding exchange: what arrived, until its turn comes
  bool keeps_delivery = false;

  bool is_near() const noexcept { return peer_near_rank >= 0; }
  bool is_self = false;
  bool stores_past_caches = false;  ///< where a far message is unpacked

  void pack_into(std::byte* to) const;
  /// Stores a byte of each cache line of the pieces as it is.
  void touch() const;
  bool holds_zeros() const;
  void fill_with_trial_numbers() const;
  void fill_with_zeros() const;
  void unpack_from(const std::byte* from) const;
  /// An arrived message in contiguous memory: unpacked at once, or kept for its turn.
  void deliver(const std::byte* from);
  /// Where a message may be received without another copy: its one contiguous piece, or the kept delivery; null if there is no such place.
  std::byte* direct_target();
  /// The flow's one contiguous piece; null if it has more.
  std::byte* direct_source() const;
  void add_delivered(value_type type) const;
  /// The memory that deliver() would fill, run by run.
  std::vector<iovec> target_runs();
  std::vector<iovec> source_runs() const;
};

}  // namespace nearfar::exchange
