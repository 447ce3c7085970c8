// SPDX-License-Identifier: BSD-3-Clause
// Messages between pairs of nodes, made and taken apart in near memory.
#include "pairs.hpp"

#include "board.hpp"
#include "pair_exchange.hpp"

namespace nearfar::collective {

namespace {

// The parts of the vector that is reduced, by team rank.
block_list<const std::byte> parts_of(const job& j, int ranks) {
  if (j.what == kind::reduce_scatter_block) return equal_blocks(j.in, j.bytes / ranks);
  return {j.in, 0, 0, j.blocks.send_bytes.data(), j.blocks.send_offsets.data()};
}

}  // namespace

void alltoall_by_pairs(rooms& room, const job& j) {
  hall& h = *room.near;
  h.begin();
  const columns& between = *room.far;
  const index row = between.near_size(between.node()) * j.bytes;
  board near(h, j.bytes * room.members.size());
  const auto both_ways = [&](int node) { return between.near_size(node) * row; };
  pair_exchange pairs(room, both_ways, both_ways);
  near.write(j.in, j.bytes * room.members.size());
  for (int node = 0; node < between.nodes(); ++node) {
    if (!pairs.is_mine(node)) continue;
    const auto ranks = between.ranks_of(node);
    for (int r = 0; r < h.size(); ++r)
      pack_blocks(pairs.to_send(node) + r * as_index(ranks.size()) * j.bytes,
                  equal_blocks(r == h.rank() ? j.in : near.theirs(r), j.bytes), ranks);
    pairs.send(node, both_ways(node));
  }
  const int rank = room.members.rank();
  const auto here = between.ranks_of(between.node());
  for (int r = 0; r < h.size(); ++r) {
    const std::byte* from = (r == h.rank() ? j.in : near.theirs(r)) + rank * j.bytes;
    std::memcpy(j.out + here[as_size(r)] * j.bytes, from, as_size(j.bytes));
  }
  pairs.finish();
  for (int node = 0; node < between.nodes(); ++node) {
    if (node == between.node()) continue;
    const std::byte* from = pairs.message_from(node) + h.rank() * j.bytes;
    for (const int r : between.ranks_of(node)) {
      std::memcpy(j.out + r * j.bytes, from, as_size(j.bytes));
      from += row;
    }
  }
  near.leave();
  pairs.leave();
  h.all_arrived();
}

void reduce_scatter_by_pairs(rooms& room, const job& j) {
  hall& h = *room.near;
  h.begin();
  const columns& between = *room.far;
  const auto parts = parts_of(j, room.members.size());
  const int rank = room.members.rank();
  const auto bytes_for = [&](int node) { return bytes_of(parts, between.ranks_of(node)); };
  board near(h, j.bytes);
  pair_exchange pairs(room, bytes_for, [&](int) { return bytes_for(between.node()); });
  near.write(j.in, j.bytes);
  std::vector<const std::byte*> from(as_size(std::max(h.size(), between.nodes())));
  const auto combine_near = [&](int of, std::byte* to) {
    const auto part_at = parts.at(of) - parts.base;
    for (int r = 0; r < h.size(); ++r) from[as_size(r)] = (r == h.rank() ? near.mine() : near.theirs(r)) + part_at;
    if (parts.length(of) > 0) j.op.combine_all(to, from.data(), h.size(), parts.length(of) / j.op.element_bytes());
  };
  for (int node = 0; node < between.nodes(); ++node) {
    if (!pairs.is_mine(node)) continue;
    std::byte* to = pairs.to_send(node);
    for (const int of : between.ranks_of(node)) {
      combine_near(of, to);
      to += parts.length(of);
    }
    pairs.send(node, bytes_for(node));
  }
  combine_near(rank, j.out);
  pairs.finish();
  const auto here = between.ranks_of(between.node());
  const index before = bytes_of(parts, here.first(as_size(h.rank()))), own = parts.length(rank);
  for (int node = 0; node < between.nodes(); ++node)
    from[as_size(node)] = node == between.node() ? j.out : pairs.message_from(node) + before;
  if (own > 0) j.op.combine_all(j.out, from.data(), between.nodes(), own / j.op.element_bytes());
  near.leave();
  pairs.leave();
  h.all_arrived();
}

}  // namespace nearfar::collective
