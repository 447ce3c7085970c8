// SPDX-License-Identifier: BSD-3-Clause
// The algorithms for teams on several nodes by name. With one rank on each node MPI's own messages are all there is to send.
#include "table.hpp"

#include <collective/columns.hpp>

#include "allreduce.hpp"
#include "rooted.hpp"

namespace nearfar::collective {

namespace {

bool has_nodes(const setting& s) { return s.nodes > 1 && s.near_ranks > 1; }
bool can_combine(const setting& s) { return has_nodes(s) && (s.is_commutative || s.is_order_by_node); }
bool combines_lines(const setting& s) { return can_combine(s) && s.bytes <= hall::slot_bytes; }
bool combines_pieces(const setting& s) { return can_combine(s) && s.bytes > 512; }
bool combines_large_pieces(const setting& s) { return can_combine(s) && s.bytes > 32 << 10; }
bool has_lines(const setting& s) { return has_nodes(s) && s.bytes <= hall::slot_bytes; }
bool has_pieces(const setting& s) { return has_nodes(s) && s.bytes > 512; }
bool has_large_pieces(const setting& s) { return has_nodes(s) && s.bytes > 32 << 10; }

}  // namespace

std::vector<algorithm> between_nodes() {
  return {
      {kind::barrier, "far-leaders", "near ranks tell their leader, the leaders tell each other, and back", false,
       has_nodes, barrier_by_leaders},
      {kind::allreduce, "far-lines", "each leader combines its node's cache lines; the leaders exchange sums", false,
       combines_lines, allreduce_by_leader_lines},
      {kind::allreduce, "far-leaders-32k", "pieces of 32 kB: each leader combines its node's; the leaders exchange",
       true, combines_pieces, allreduce_by_leaders<32 << 10>},
      {kind::allreduce, "far-leaders-128k", "pieces of 128 kB: each leader combines its node's; the leaders exchange",
       true, combines_large_pieces, allreduce_by_leaders<128 << 10>},
      {kind::allreduce, "far-lanes-32k", "pieces of 32 kB in slices: near rank l combines slice l, exchanged in lane l",
       true, combines_pieces, allreduce_by_lanes<32 << 10>},
      {kind::allreduce, "far-lanes-128k",
       "pieces of 128 kB in slices: near rank l combines slice l, exchanged in lane l", true, combines_large_pieces,
       allreduce_by_lanes<128 << 10>},
      {kind::bcast, "far-lines", "from root to leaders along a tree; near ranks read cache lines", false, has_lines,
       bcast_by_leader_lines},
      {kind::bcast, "far-leaders-32k", "pieces of 32 kB from root to leaders; near ranks copy from rings", true,
       has_pieces, bcast_by_leaders<32 << 10>},
      {kind::bcast, "far-leaders-128k", "pieces of 128 kB from root to leaders; near ranks copy from rings", true,
       has_large_pieces, bcast_by_leaders<128 << 10>},
      {kind::reduce, "far-lines", "each leader combines its node's cache lines; a tree of leaders to the root", false,
       combines_lines, reduce_by_leader_lines},
      {kind::reduce, "far-leaders-32k", "pieces of 32 kB: each leader combines its node's; a tree to the root", true,
       combines_pieces, reduce_by_leaders<32 << 10>},
      {kind::reduce, "far-leaders-128k", "pieces of 128 kB: each leader combines its node's; a tree to the root", true,
       combines_large_pieces, reduce_by_leaders<128 << 10>},
  };
}

}  // namespace nearfar::collective
