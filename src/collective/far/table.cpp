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

void add_allreduce(std::vector<algorithm>& list) {
  static constexpr cut_case leaders[] = {{{64 << 10}, combines_small_groups},
                                         {{512 << 10}, combines_large_pieces},
                                         {{4 << 20}, combines_huge_pieces, false}};
  static constexpr cut_case lanes[] = {
      {{64 << 10}, combines_pieces}, {{512 << 10}, combines_large_pieces}, {{4 << 20}, combines_huge_pieces}};
  static constexpr cut_case streams[] = {{{512 << 10, 0, past_caches}, combines_streams},
                                         {{4 << 20, 0, past_caches}, combines_huge_pieces}};
  add_cuts(list,
           {kind::allreduce, "far-leaders", "groups of *: each leader combines its node's; leaders exchange", true,
            nullptr, allreduce_by_leaders},
           leaders);
  add_cuts(list,
           {kind::allreduce, "far-lanes", "groups of *: near rank l combines slice l, exchanged in lane l", true,
            nullptr, allreduce_by_lanes},
           lanes);
  add_cuts(list,
           {kind::allreduce, "far-stream-lanes", "groups of * like far-lanes, near ranks copy past the caches", true,
            nullptr, allreduce_by_lanes},
           streams);
}

void add_rooted(std::vector<algorithm>& list) {
  static constexpr cut_case bcasts[] = {{{32 << 10}, has_pieces}, {{128 << 10}, has_large_pieces}};
  static constexpr cut_case reduces[] = {{{32 << 10}, combines_pieces}, {{128 << 10}, combines_large_pieces}};
  static_assert(fit_ring(bcasts) && fit_ring(reduces));
  add_cuts(list,
           {kind::bcast, "far-leaders", "pieces of * from root to leaders; near ranks copy from rings", true, nullptr,
            bcast_by_leaders},
           bcasts);
  add_cuts(list,
           {kind::reduce, "far-leaders", "pieces of *: each leader combines its node's; a tree to the root", true,
            nullptr, reduce_by_leaders},
           reduces);
}

}  // namespace

std::vector<algorithm> between_nodes() {
  std::vector<algorithm> list{
      {kind::barrier, "far-leaders", "near ranks tell their leader, the leaders tell each other, and back", false,
       has_nodes, barrier_by_leaders},
      {kind::allreduce, "far-lines", "each leader combines its node's cache lines; the leaders exchange sums", false,
       combines_lines, allreduce_by_leader_lines},
      {kind::allreduce, "far-lane-lines",
       "every rank combines its node's cache lines and exchanges the sum in its lane", false, combines_lane_lines,
       allreduce_by_lane_lines},
      {kind::bcast, "far-lines", "from root to leaders along a tree; near ranks read cache lines", false, has_lines,
       bcast_by_leader_lines},
      {kind::reduce, "far-lines", "each leader combines its node's cache lines; a tree of leaders to the root", false,
       combines_lines, reduce_by_leader_lines},
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
  add_allreduce(list);
  add_rooted(list);
  return list;
}

}  // namespace nearfar::collective
