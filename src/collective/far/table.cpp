// SPDX-License-Identifier: BSD-3-Clause
// The algorithms for teams on several nodes by name. With one rank on each node MPI's own messages are all there is to
// send.
#include "table.hpp"

#include <collective/inter_node.hpp>

#include "allreduce.hpp"
#include "blocks.hpp"
#include "pairs.hpp"
#include "rooted.hpp"
#include "scan.hpp"
#include "staging_area.hpp"
#include "uneven.hpp"

namespace nearfar::collective {

namespace {

constexpr near::stores past_caches = near::stores::past_caches;

bool has_nodes(const setting& s) { return s.nodes > 1 && s.near_ranks > 1; }
bool can_combine(const setting& s) { return has_nodes(s) && (s.is_commutative || s.is_order_by_node); }
bool combines_lines(const setting& s) { return can_combine(s) && s.bytes <= node_segment::slot_bytes; }
bool combines_lane_lines(const setting& s) {
  return combines_lines(s) && s.are_nodes_equal && s.near_ranks <= inter_node::most_lanes;
}
bool combines_pieces(const setting& s) { return can_combine(s) && s.bytes > 512; }
bool combines_small_groups(const setting& s) { return combines_pieces(s) && s.bytes <= 128 << 10; }
bool combines_large_pieces(const setting& s) { return can_combine(s) && s.bytes > 32 << 10; }
bool combines_streams(const setting& s) { return can_combine(s) && s.bytes > 128 << 10; }
bool combines_huge_pieces(const setting& s) { return can_combine(s) && s.bytes > 256 << 10; }
bool has_lines(const setting& s) { return has_nodes(s) && s.bytes <= node_segment::slot_bytes; }
bool has_pieces(const setting& s) { return has_nodes(s) && s.bytes > 512; }
bool has_large_pieces(const setting& s) { return has_nodes(s) && s.bytes > 32 << 10; }

index_t square(index_t n) { return n * n; }
bool fits_node_staging(const setting& s) {
  return has_nodes(s) && s.bytes > 0 && s.bytes * s.near_ranks <= staging_bytes;
}
bool fits_team_staging(const setting& s) { return has_nodes(s) && s.bytes > 0 && s.bytes * s.ranks <= staging_bytes; }
bool fits_pair_staging(const setting& s) {
  return fits_team_staging(s) && s.bytes * s.nodes * square(s.near_ranks) <= staging_bytes;
}
// Longer parts are cut, but not elements, of 4 kB at most.
bool fits_if_cut(const setting& s) { return index_t{s.nodes} * s.near_ranks * (4 << 10) <= staging_bytes; }
bool combines_for_pairs(const setting& s) {
  return can_combine(s) && (fits_if_cut(s) || s.bytes / s.ranks * s.nodes * s.near_ranks <= staging_bytes);
}
bool combines_parts_for_pairs(const setting& s) {  // all of it may be one rank's part
  return can_combine(s) && (fits_if_cut(s) || s.bytes * s.nodes * s.near_ranks <= staging_bytes);
}
bool fit_team_staging(const setting& s) { return has_nodes(s) && s.bytes <= staging_bytes; }
bool scans_by_node(const setting& s) { return has_nodes(s) && s.is_order_by_node && s.bytes <= staging_bytes; }
bool packs_for_leaders(const setting& s) { return has_nodes(s) && s.near_ranks <= 1024; }
bool packs_for_pairs(const setting& s) {
  return has_nodes(s) && packed_bytes_between_pairs(s.nodes, s.near_ranks) >= least_packed_bytes;
}
bool has_stream(const setting& s) { return has_nodes(s) && s.bytes > 512 && s.bytes <= 1 << 30; }

}  // namespace

std::vector<algorithm> between_nodes() {
  return {
      {kind::barrier, "far-leaders", "near ranks tell their leader, the leaders tell each other, and back", false,
       has_nodes, barrier_by_leaders},
      {kind::allreduce, "far-lines", "each leader combines its node's cache lines; the leaders exchange sums", false,
       combines_lines, allreduce_by_leader_lines},
      {kind::allreduce, "far-lane-lines",
       "every rank combines its node's cache lines and exchanges the sum in its lane", false, combines_lane_lines,
       allreduce_by_lane_lines},
      {kind::allreduce, "far-leaders-64k", "groups of 64 kB: each leader combines its node's; leaders exchange", true,
       combines_small_groups, allreduce_by_leaders<64 << 10>},
      {kind::allreduce, "far-leaders-512k", "groups of 512 kB: each leader combines its node's; leaders exchange", true,
       combines_large_pieces, allreduce_by_leaders<512 << 10>},
      {kind::allreduce, "far-leaders-4m", "groups of 4 MB: each leader combines its node's; leaders exchange", true,
       combines_huge_pieces, allreduce_by_leaders<4 << 20>, false},
      {kind::allreduce, "far-lanes-64k", "groups of 64 kB: near rank l combines slice l, exchanged in lane l", true,
       combines_pieces, allreduce_by_lanes<64 << 10>},
      {kind::allreduce, "far-lanes-512k", "groups of 512 kB: near rank l combines slice l, exchanged in lane l", true,
       combines_large_pieces, allreduce_by_lanes<512 << 10>},
      {kind::allreduce, "far-lanes-4m", "groups of 4 MB: near rank l combines slice l, exchanged in lane l", true,
       combines_huge_pieces, allreduce_by_lanes<4 << 20>},
      {kind::allreduce, "far-stream-lanes-512k", "like far-lanes-512k, near ranks copy past the caches", true,
       combines_streams, allreduce_by_lanes<512 << 10, past_caches>},
      {kind::allreduce, "far-stream-lanes-4m", "like far-lanes-4m, near ranks copy past the caches", true,
       combines_huge_pieces, allreduce_by_lanes<4 << 20, past_caches>},
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
      {kind::gather, "far-leaders", "each leader sends the blocks of its node in one message", true, fits_node_staging,
       gather_by_leaders},
      {kind::scatter, "far-leaders", "the root sends the blocks of a node in one message to its leader", true,
       fits_node_staging, scatter_by_leaders},
      {kind::allgather, "far-leaders", "one message per pair of nodes, from leader to leader", true, fits_team_staging,
       allgather_by_leaders},
      {kind::allgather, "far-lanes", "each block goes once to each node, then around it through rings", true,
       has_stream, allgather_by_lanes},
      {kind::allgatherv, "far-leaders", "one message per pair of nodes, from leader to leader", true, fit_team_staging,
       allgather_by_leaders},
      {kind::allgatherv, "far-lanes", "each block goes once to each node, then around it through rings", true,
       has_stream, allgather_by_lanes},
      {kind::alltoall, "far-pairs", "one message per pair of nodes; the ranks of a node share the pairs out", true,
       fits_pair_staging, alltoall_by_pairs},
      {kind::gatherv, "far-leaders", "each leader sends its node's short blocks in one message, long ones go straight",
       true, packs_for_leaders, gatherv_by_leaders},
      {kind::scatterv, "far-leaders", "a node's short blocks go in one message to its leader, long ones straight", true,
       packs_for_leaders, scatterv_by_leaders},
      {kind::alltoallv, "far-pairs", "short blocks in one message per pair of nodes, long ones straight", true,
       packs_for_pairs, alltoallv_by_pairs},
      {kind::alltoallw, "far-pairs", "short blocks in one message per pair of nodes, long ones straight", true,
       packs_for_pairs, alltoallv_by_pairs},
      {kind::reduce_scatter_block, "far-pairs", "a node's sums for another node go in one message", true,
       combines_for_pairs, reduce_scatter_by_pairs},
      {kind::reduce_scatter, "far-pairs", "a node's sums for another node go in one message", true,
       combines_parts_for_pairs, reduce_scatter_by_pairs},
      {kind::scan, "far-leaders", "the leaders scan the sums of nodes, each rank adds its node's", true, scans_by_node,
       scan_by_leaders},
      {kind::exscan, "far-leaders", "the leaders scan the sums of nodes, each rank adds its node's", true,
       scans_by_node, scan_by_leaders},
  };
}

}  // namespace nearfar::collective
