// SPDX-License-Identifier: BSD-3-Clause
// Messages between pairs of nodes, made and taken apart in near memory.
#include "pairs.hpp"

#include "board.hpp"

namespace nearfar::collective {

namespace {

// The near rank of `node` that speaks to node `other`.
int speaker(const columns& between, int node, int other) { return other % between.near_size(node); }

// Every rank sends for some of the other nodes and receives from them; what came is shown to its near ranks on a board.
class pair_exchange {
 public:
  // `bytes_to(node)`: of the message to a node; `bytes_from(node)`: of the message from it.
  template <class To, class From>
  pair_exchange(rooms& room, To bytes_to, From bytes_from)
      : h_(*room.near),
        between_(*room.far),
        place_(as_size(between_.nodes()), 0),
        received_(h_, sum_up(bytes_from)),
        to_send_(as_size(between_.nodes()), nullptr) {
    index total = 0;
    for (int node = 0; node < between_.nodes(); ++node)
      if (is_mine(node)) total += bytes_to(node);
    std::byte* at = room.scratch_of(total);
    std::byte* in = nullptr;
    for (int node = 0; node < between_.nodes(); ++node) {
      if (!is_mine(node)) continue;
      to_send_[as_size(node)] = at;
      at += bytes_to(node);
      if (in == nullptr) in = received_.mine();
      receives_.push_back(between_.receive(in + place_[as_size(node)], bytes_from(node), peer_on(node)));
    }
  }

  bool is_mine(int node) const {
    return node != between_.node() && speaker(between_, between_.node(), node) == h_.rank();
  }
  std::byte* to_send(int node) const { return to_send_[as_size(node)]; }
  void send(int node, index bytes) { sends_.push_back(between_.send(to_send(node), bytes, peer_on(node))); }
  void finish() {
    finish_messages(h_, receives_);
    received_.publish();
  }
  // The message that came from a node, whoever received it.
  const std::byte* message_from(int node) {
    const int r = speaker(between_, between_.node(), node);
    return (r == h_.rank() ? received_.mine() : received_.theirs(r)) + place_[as_size(node)];
  }
  void leave() {
    finish_messages(h_, sends_);
    received_.leave();
  }

 private:
  int peer_on(int node) const { return between_.rank_of(node, speaker(between_, node, between_.node())); }

  // Sets the places of messages on the boards of those who receive them; returns the length of the fullest.
  template <class From>
  index sum_up(From bytes_from) {
    std::vector<index> filled(as_size(h_.size()), 0);
    for (int node = 0; node < between_.nodes(); ++node) {
      if (node == between_.node()) continue;
      index& end = filled[as_size(speaker(between_, between_.node(), node))];
      place_[as_size(node)] = end;
      end += bytes_from(node);
    }
    return *std::max_element(filled.begin(), filled.end());
  }

  hall& h_;
  const columns& between_;
  std::vector<index> place_;
  board received_;
  std::vector<std::byte*> to_send_;
  std::vector<MPI_Request> receives_, sends_;
};

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
      pack_blocks(pairs.to_send(node) + r * as_index(ranks.size()) * j.bytes, r == h.rank() ? j.in : near.theirs(r),
                  ranks, j.bytes);
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

void reduce_scatter_block_by_pairs(rooms& room, const job& j) {
  hall& h = *room.near;
  h.begin();
  const columns& between = *room.far;
  const index block = j.bytes / room.members.size(), count = j.count / room.members.size();
  board near(h, j.bytes);
  pair_exchange pairs(
      room, [&](int node) { return between.near_size(node) * block; },
      [&](int) { return between.near_size(between.node()) * block; });
  near.write(j.in, j.bytes);
  std::vector<const std::byte*> from(as_size(std::max(h.size(), between.nodes())));
  const auto combine = [&](int rank, std::byte* to) {
    for (int r = 0; r < h.size(); ++r) from[as_size(r)] = (r == h.rank() ? near.mine() : near.theirs(r)) + rank * block;
    j.op.combine_all(to, from.data(), h.size(), count);
  };
  for (int node = 0; node < between.nodes(); ++node) {
    if (!pairs.is_mine(node)) continue;
    std::byte* to = pairs.to_send(node);
    for (const int rank : between.ranks_of(node)) {
      combine(rank, to);
      to += block;
    }
    pairs.send(node, between.near_size(node) * block);
  }
  combine(room.members.rank(), j.out);
  pairs.finish();
  for (int node = 0; node < between.nodes(); ++node)
    from[as_size(node)] = node == between.node() ? j.out : pairs.message_from(node) + h.rank() * block;
  j.op.combine_all(j.out, from.data(), between.nodes(), count);
  near.leave();
  pairs.leave();
  h.all_arrived();
}

}  // namespace nearfar::collective
