// SPDX-License-Identifier: BSD-3-Clause
// A data movement on a node as blocks from sender to receiver: the common form of all kinds.
#pragma once

#include <collective/job.hpp>
#include <collective/node_segment.hpp>
#include <cstring>

namespace nearfar::collective {

/// The blocks of one side, by near rank: equal ones a `stride` apart, or listed.
template <class Byte>
struct block_list {
  Byte* base = nullptr;
  index_t bytes = 0, stride = 0;
  const index_t* lengths = nullptr;
  const index_t* offsets = nullptr;
  Byte* at(int r) const noexcept { return base + (offsets != nullptr ? offsets[r] : stride * r); }
  index_t length(int r) const noexcept { return lengths != nullptr ? lengths[r] : bytes; }
};

/// All blocks that change hands in one call, as one near rank sees it. A block that a rank sends to itself is moved by
/// copy_own.
struct movement {
  int rank = 0, ranks = 1;
  int only_from = -1, only_to = -1;  ///< the one that sends, the one that receives; -1: all do
  bool is_one_for_all = false;       ///< each sender has one block, for everybody it sends to
  bool is_even = true;               ///< all blocks have the length `largest`, and equal distances
  index_t largest = 0;               ///< no block is longer; the same on every rank
  block_list<const std::byte> sent{};
  block_list<std::byte> received{};

  bool does_send() const noexcept { return only_from < 0 || only_from == rank; }
  bool does_receive() const noexcept { return only_to < 0 || only_to == rank; }
  bool sends_to(int r) const noexcept { return does_send() && r != rank && (only_to < 0 || only_to == r); }
  bool receives_from(int r) const noexcept { return does_receive() && r != rank && (only_from < 0 || only_from == r); }
  bool is_among_all() const noexcept { return only_from < 0 && only_to < 0; }

  /// The i-th peer, 0 … ranks - 2: starts behind the own rank, so that not all turn to the same one.
  int peer(int i) const noexcept { return (rank + 1 + i) % ranks; }
  /// The place of `to` in what `from` writes: one block for all, or one for each but itself.
  int place_of(int from, int to) const noexcept { return is_one_for_all ? 0 : to < from ? to : to - 1; }
  int places() const noexcept { return is_one_for_all || ranks == 1 ? 1 : ranks - 1; }

  void copy_own() const {
    if (!does_send() || !does_receive() || received.length(rank) <= 0) return;
    const std::byte* from = sent.at(rank);
    std::byte* to = received.at(rank);
    if (from != to) std::memcpy(to, from, as_size(received.length(rank)));
  }
};

/// The movement of a job on one node, where near ranks are team ranks. For gatherv, scatterv, alltoallv and alltoallw
/// no rank knows all lengths: `largest` is that of the blocks this rank sends or receives.
movement movement_of(const job& j, int rank, int ranks);

/// Ends a call: all have been heard, or each says that it leaves. Where lengths differ some may be zero and their
/// senders unheard.
inline void end_call(node_segment& h, const movement& m) {
  if (m.is_among_all() && m.is_even)
    h.all_arrived();
  else
    h.leave();
}

}  // namespace nearfar::collective
