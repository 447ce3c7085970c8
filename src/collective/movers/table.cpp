// SPDX-License-Identifier: BSD-3-Clause
// The data movers of one node by name.
#include "table.hpp"

#include "in_place.hpp"
#include "lines.hpp"
#include "ring.hpp"

namespace nearfar::collective {

namespace {

constexpr int most_ranks_in_unit = 64;  // pieces for each of them are not too short then

bool is_one_node(const setting& s) { return s.nodes == 1 && s.near_ranks > 1; }
bool fits_line(const setting& s) { return is_one_node(s) && s.bytes <= hall::slot_bytes; }
bool fit_lines(const setting& s) {
  return is_one_node(s) && lines_of_blocks(s.near_ranks - 1, s.bytes) <= hall::slot_lines;
}
bool fills_pieces(const setting& s) { return is_one_node(s) && s.near_ranks <= most_ranks_in_unit && s.bytes >= 64; }
bool fills_large_pieces(const setting& s) { return fills_pieces(s) && s.bytes >= 8 << 10; }
bool can_read(const setting& s) { return is_one_node(s) && s.has_process_reads && s.bytes >= 4096; }
bool is_large(const setting& s) { return is_one_node(s) && s.bytes >= direct_from_bytes; }

// The movers of a kind with blocks of one length that every rank knows.
void add_even(std::vector<algorithm>& list, kind what) {
  const bool has_one_block = what != kind::scatter && what != kind::alltoall;
  list.push_back({what, "near-lines", "data in cache lines with the call's number", false,
                  has_one_block ? fits_line : fit_lines, move_by_lines});
  list.push_back({what, "near-ring-8k", "copied into rings in steps of 8 kB, three ahead, and out of them", true,
                  fills_pieces, move_by_ring<8 << 10, 3>});
  list.push_back({what, "near-ring-32k", "copied into rings in steps of 32 kB, two ahead, and out of them", true,
                  fills_pieces, move_by_ring<32 << 10, 2>});
  list.push_back({what, "near-ring-128k", "copied into rings in steps of 128 kB, one ahead, and out of them", true,
                  fills_large_pieces, move_by_ring<128 << 10, 1>});
  list.push_back({what, "near-reads", "receivers read the senders' buffers in place (process_vm_readv)", false,
                  can_read, move_by_reads});
  list.push_back({what, "near-direct", "buffers in near memory: one copy from buffer to buffer", false, is_large,
                  move_directly, false});
}

}  // namespace

std::vector<algorithm> movers_of_one_node() {
  std::vector<algorithm> list{
      {kind::barrier, "near-lines", "everybody writes a line and reads those of all others", false, is_one_node,
       barrier_by_lines},
      {kind::barrier, "near-rounds", "in round k everybody waits for the rank 2^k before it", false, is_one_node,
       barrier_by_rounds},
  };
  for (const kind what : {kind::bcast, kind::allgather, kind::alltoall, kind::gather, kind::scatter})
    add_even(list, what);
  return list;
}

}  // namespace nearfar::collective
