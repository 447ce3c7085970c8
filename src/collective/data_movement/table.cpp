// SPDX-License-Identifier: BSD-3-Clause
// The algorithms of one node that move data, by name.
#include "table.hpp"

#include "in_place.hpp"
#include "lines.hpp"
#include "reduce_scatter.hpp"
#include "ring.hpp"
#include "uneven.hpp"

namespace nearfar::collective {

namespace {

constexpr near::stores past_caches = near::stores::past_caches;
constexpr int most_ranks_in_unit = 64;  // pieces for each of them are not too short then

bool is_one_node(const setting& s) { return s.nodes == 1 && s.near_ranks > 1; }
bool fits_line(const setting& s) { return is_one_node(s) && s.bytes <= node_segment::slot_bytes; }
bool fit_lines(const setting& s) {
  return is_one_node(s) && lines_of_blocks(s.near_ranks - 1, s.bytes) <= node_segment::slot_lines;
}
bool fills_pieces(const setting& s) { return is_one_node(s) && s.near_ranks <= most_ranks_in_unit && s.bytes >= 64; }
bool fills_large_pieces(const setting& s) { return fills_pieces(s) && s.bytes >= 8 << 10; }
bool fills_streams(const setting& s) { return fills_pieces(s) && s.bytes >= 2 << 10; }
bool fills_large_streams(const setting& s) { return fills_pieces(s) && s.bytes >= 32 << 10; }
bool can_read(const setting& s) { return is_one_node(s) && s.has_process_reads && s.bytes >= 4096; }
bool has_ring(const setting& s) { return is_one_node(s) && s.near_ranks <= most_ranks_in_unit; }
bool can_read_blocks(const setting& s) { return has_ring(s) && s.has_process_reads; }
bool fit_parts(const setting& s) {
  return is_one_node(s) && s.near_ranks + s.bytes / near::line_payload_bytes <= node_segment::slot_lines;
}
bool fills_parts(const setting& s) { return has_ring(s) && s.bytes >= 64 * s.near_ranks; }
bool fills_stream_parts(const setting& s) { return has_ring(s) && s.bytes >= (4 << 10) * s.near_ranks; }
bool is_large(const setting& s) { return is_one_node(s) && s.bytes >= direct_from_bytes; }

// The algorithms of a kind with blocks of one length that every rank knows.
void add_even(std::vector<algorithm>& list, kind what) {
  const bool has_one_block = what != kind::scatter && what != kind::alltoall;
  list.push_back({what, "near-lines", "data in cache lines with the call's number", false,
                  has_one_block ? fits_line : fit_lines, move_by_lines});
  static constexpr cut_case rings[] = {
      {{8 << 10, 3}, fills_pieces}, {{32 << 10, 2}, fills_pieces}, {{128 << 10, 1}, fills_large_pieces}};
  static constexpr cut_case streams[] = {{{32 << 10, 2, past_caches}, fills_streams},
                                         {{128 << 10, 1, past_caches}, fills_large_streams}};
  static_assert(fit_ring(rings) && fit_ring(streams));
  add_cuts(list, {what, "near-ring", "copied into rings in steps of *, and out of them", true, nullptr, move_by_ring},
           rings);
  add_cuts(list, {what, "near-stream", "copied past the caches into rings in steps of *", true, nullptr, move_by_ring},
           streams);
  list.push_back({what, "near-cma", "receivers read the senders' buffers in place (process_vm_readv)", false, can_read,
                  move_by_reads});
  list.push_back({what, "near-direct", "buffers in near memory: one copy from buffer to buffer", false, is_large,
                  move_directly, false});
}

// Kinds with blocks whose lengths no rank knows all of: one class for all sizes, so that the algorithms themselves look
// at lengths.
void add_uneven(std::vector<algorithm>& list, kind what) {
  const bool is_gather = what == kind::gatherv;
  list.push_back({what, "near-ring", "short blocks in cache lines, others through rings", true, has_ring,
                  is_gather ? gatherv_by_ring : move_uneven_by_ring});
  list.push_back({what,
                  "near-stream",
                  "like near-ring, copied past the caches",
                  true,
                  has_ring,
                  is_gather ? gatherv_by_ring : move_uneven_by_ring,
                  true,
                  false,
                  {0, 0, past_caches}});
  list.push_back({what, "near-cma",
                  is_gather
                      ? "short blocks in lines, up to 8 kB by messages, long ones read in place (process_vm_readv)"
                      : "short blocks in lines, long ones read in place (process_vm_readv)",
                  !is_gather, can_read_blocks, is_gather ? gatherv_by_reads : move_uneven_by_reads});
  list.push_back({what, "near-direct", "buffers in near memory: one copy from buffer to buffer", false, has_ring,
                  move_directly, false});
}

void add_allgatherv(std::vector<algorithm>& list) {
  add_even(list, kind::allgatherv);  // all know all lengths; the class is that of their sum
  for (algorithm& a : list)
    if (a.what == kind::allgatherv && a.body == move_by_lines) a.body = allgatherv_by_lines;
}

void add_reduce_scatter(std::vector<algorithm>& list, kind what) {
  static constexpr cut_case rings[] = {{{8 << 10, 3}, fills_parts}, {{64 << 10, 2}, fills_parts}};
  static constexpr cut_case streams[] = {{{64 << 10, 2, past_caches}, fills_stream_parts}};
  static_assert(fit_ring(rings) && fit_ring(streams));
  list.push_back({what, "near-lines", "parts in cache lines with the call's number; each rank combines its own", false,
                  fit_parts, reduce_scatter_by_lines, true, true});
  add_cuts(list,
           {what, "near-ring", "copied into rings in steps of *; each rank combines its part", true, nullptr,
            reduce_scatter_by_ring, true, true},
           rings);
  add_cuts(list,
           {what, "near-stream", "copied past the caches into rings in steps of *; each rank combines its part", true,
            nullptr, reduce_scatter_by_ring, true, true},
           streams);
}

}  // namespace

std::vector<algorithm> data_movement_of_one_node() {
  std::vector<algorithm> list{
      {kind::barrier, "near-lines", "everybody writes a line and reads those of all others", false, is_one_node,
       barrier_by_lines},
      {kind::barrier, "near-rounds", "in round k everybody waits for the rank 2^k before it", false, is_one_node,
       barrier_by_rounds},
  };
  for (const kind what : {kind::bcast, kind::allgather, kind::alltoall, kind::gather, kind::scatter})
    add_even(list, what);
  for (const kind what : {kind::gatherv, kind::scatterv, kind::alltoallv, kind::alltoallw}) add_uneven(list, what);
  add_allgatherv(list);
  for (const kind what : {kind::reduce_scatter, kind::reduce_scatter_block}) add_reduce_scatter(list, what);
  return list;
}

}  // namespace nearfar::collective
