// SPDX-License-Identifier: BSD-3-Clause
// A piece of every near rank's ring for one purpose of a call, and the places of blocks that travel between nodes.
//
//   mine(), write there, publish()  →  the others read theirs(r)  →  all leave()
#pragma once

#include <algorithm>
#include <bit>
#include <collective/algorithm.hpp>
#include <collective/inter_node.hpp>
#include <cstring>

#include "../data_movement/movement.hpp"

namespace nearfar::collective {

/// The most that a staging area holds per rank: two areas of one call and what alignment may cost fit into a ring.
inline constexpr index_t staging_bytes = ring_bytes / 4;

/// Near ranks make the same staging areas in the same order, with the same sizes. A rank that has nothing to write only
/// leaves.
class staging_area {
 public:
  staging_area(node_segment& h, index_t bytes)
      : h_(h), bytes_(static_cast<index_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<index_t>(bytes, 64))))) {
    at_ = h.reserve(bytes_);
  }
  std::byte* mine() { return h_.mine(at_, bytes_); }
  void publish() { h_.publish(end()); }
  void write(const std::byte* data, index_t bytes) {
    std::memcpy(mine(), data, as_size(bytes));
    publish();
  }
  const std::byte* theirs(int near_rank) { return h_.theirs(near_rank, at_, bytes_); }
  /// I read nothing of it any more.
  void leave() { h_.take(end()); }

 private:
  std::uint64_t end() const { return at_ + static_cast<std::uint64_t>(bytes_); }
  node_segment& h_;
  index_t bytes_;
  std::uint64_t at_;
};

inline void copy_block(std::byte* to, const std::byte* from, index_t bytes) {
  if (to != from && bytes > 0) std::memcpy(to, from, as_size(bytes));
}

template <class Byte>
block_list<Byte> equal_blocks(Byte* base, index_t bytes) {
  return {base, bytes, bytes};
}

template <class Byte>
index_t bytes_of(const block_list<Byte>& blocks, std::span<const int> ranks) {
  index_t total = 0;
  for (const int r : ranks) total += blocks.length(r);
  return total;
}

/// The blocks of `ranks`, one behind the other, out of a list of all ranks' blocks; and back.
inline void pack_blocks(std::byte* to, const block_list<const std::byte>& all, std::span<const int> ranks) {
  for (const int r : ranks) {
    copy_block(to, all.at(r), all.length(r));
    to += all.length(r);
  }
}
inline void unpack_blocks(const block_list<std::byte>& all, const std::byte* from, std::span<const int> ranks) {
  for (const int r : ranks) {
    copy_block(all.at(r), from, all.length(r));
    from += all.length(r);
  }
}

/// One rank of each node speaks to the other nodes: the root on its own node, else the leader.
struct speakers {
  inter_node& between;
  int root_node, root_near;
  speakers(inter_node& all, int root) : between(all), root_node(all.node_of(root)), root_near(all.near_rank_of(root)) {}
  int near_rank_on(int node) const { return node == root_node ? root_near : 0; }
  int rank_on(int node) const { return between.rank_of(node, near_rank_on(node)); }
  int here() const { return near_rank_on(between.node()); }
};

}  // namespace nearfar::collective
