// SPDX-License-Identifier: BSD-3-Clause
// From the arguments of each kind to the blocks that move.
#include "movement.hpp"

#include <algorithm>

namespace nearfar::collective {

namespace {

void set_equal(movement& m, const job& j, bool has_one_sent, bool has_one_received) {
  m.largest = j.bytes;
  m.sent = {j.in, j.bytes, has_one_sent ? 0 : j.bytes};
  m.received = {j.out, j.bytes, has_one_received ? 0 : j.bytes};
}

// Lists have one entry where a side has one block only, and none where the rank has no such side.
template <class Byte>
void set_side(block_list<Byte>& side, Byte* base, std::span<const index_t> lengths, std::span<const index_t> offsets,
              movement& m) {
  side.base = base;
  if (lengths.empty()) return;
  m.largest = std::max(m.largest, *std::max_element(lengths.begin(), lengths.end()));
  if (as_index(lengths.size()) == 1 && m.ranks > 1) {
    side.bytes = lengths[0];
    return;
  }
  side.lengths = lengths.data();
  side.offsets = offsets.data();
}

void set_listed(movement& m, const job& j) {
  m.is_even = false;
  set_side(m.sent, j.in, j.blocks.send_bytes, j.blocks.send_offsets, m);
  set_side(m.received, j.out, j.blocks.receive_bytes, j.blocks.receive_offsets, m);
}

}  // namespace

movement movement_of(const job& j, int rank, int ranks) {
  movement m;
  m.rank = rank;
  m.ranks = ranks;
  const bool is_from_root = j.what == kind::bcast || j.what == kind::scatter || j.what == kind::scatterv;
  const bool is_to_root = j.what == kind::gather || j.what == kind::gatherv;
  if (is_from_root) m.only_from = j.root;
  if (is_to_root) m.only_to = j.root;
  m.is_one_for_all = is_to_root || j.what == kind::bcast || j.what == kind::allgather || j.what == kind::allgatherv;
  if (has_equal_blocks(j.what))
    set_equal(m, j, m.is_one_for_all, is_from_root);
  else
    set_listed(m, j);
  return m;
}

}  // namespace nearfar::collective
