// SPDX-License-Identifier: BSD-3-Clause
// Short blocks in staging areas and in messages between nodes, long ones straight to their receivers.
#include "uneven.hpp"

#include <base/internals.hpp>
#include <numeric>
#include <topology/team_state.hpp>

#include "pair_exchange.hpp"
#include "staging_area.hpp"

namespace nearfar::collective {

namespace {

constexpr index_t most_packed_bytes = 8 << 10;
constexpr index_t most_message_bytes = 1 << 30;
constexpr int straight_channel = 1;

using length = std::int32_t;  // of a packed block; 0 where the block travels otherwise

constexpr index_t in_lines(index_t bytes) { return (bytes + 63) / 64 * 64; }

// Messages of long blocks, in pieces that MPI can count.
class straight_messages {
 public:
  straight_messages(workspace& work, const movement& m, index_t packed_bytes)
      : h_(*work.near), between_(*work.far), m_(m), limit_(packed_bytes) {}

  void expect(int from) {
    if (m_.receives_from(from))
      in_pieces(m_.received.length(from), [&](index_t at, index_t bytes) {
        return between_.receive(m_.received.at(from) + at, bytes, from, straight_channel);
      });
  }
  void send(int to) {
    if (m_.sends_to(to))
      in_pieces(m_.sent.length(to), [&](index_t at, index_t bytes) {
        return between_.send_ahead(m_.sent.at(to) + at, bytes, to, straight_channel);
      });
  }
  void finish() { finish_messages(h_, requests_); }

 private:
  template <class Start>
  void in_pieces(index_t bytes, Start start) {
    if (bytes <= limit_) return;
    for (index_t at = 0; at < bytes; at += most_message_bytes)
      requests_.push_back(start(at, std::min(most_message_bytes, bytes - at)));
  }

  node_segment& h_;
  inter_node& between_;
  const movement& m_;
  index_t limit_;
  std::vector<MPI_Request> requests_;
};

movement movement_in_team(const workspace& work, const job& j) {
  return movement_of(j, work.members.rank(), work.members.size());
}

constexpr index_t packed(index_t bytes, index_t limit) { return bytes <= limit ? bytes : 0; }

template <class Byte>
index_t packed_total(const block_list<Byte>& blocks, std::span<const int> ranks, index_t limit) {
  index_t total = 0;
  for (const int r : ranks) total += packed(blocks.length(r), limit);
  return total;
}

template <class Visit>
void for_other_nodes(const inter_node& between, Visit visit) {
  for (int i = 1; i < between.nodes(); ++i) visit((between.node() + i) % between.nodes());
}

// ---- gatherv: a staging area holds a length and a block

constexpr index_t gather_staging_bytes = most_packed_bytes, gather_header_bytes = 64;
constexpr index_t gathered_bytes = gather_staging_bytes - gather_header_bytes;

void show_block(staging_area& near, const movement& m) {
  const index_t bytes = packed(m.sent.bytes, gathered_bytes);
  std::byte* to = near.mine();
  std::memcpy(to, &bytes, sizeof bytes);
  copy_block(to + gather_header_bytes, m.sent.base, bytes);
  near.publish();
}

// The short blocks of all near ranks, one behind the other; returns their length.
index_t collect_blocks(workspace& work, staging_area& near, const movement& m) {
  const int near_ranks = work.near->size();
  std::byte* to = work.scratch_of(near_ranks * gathered_bytes);
  index_t total = 0;
  for (int r = 0; r < near_ranks; ++r) {
    index_t bytes = packed(m.sent.bytes, gathered_bytes);
    const std::byte* from = m.sent.base;
    if (r != work.near->rank()) {
      std::memcpy(&bytes, near.theirs(r), sizeof bytes);
      from = near.theirs(r) + gather_header_bytes;
    }
    copy_block(to + total, from, bytes);
    total += bytes;
  }
  return total;
}

void gatherv_on_root(workspace& work, staging_area& near, const movement& m, straight_messages& straight) {
  const inter_node& between = *work.far;
  const auto bytes_from = [&](int node) { return packed_total(m.received, between.ranks_of(node), gathered_bytes); };
  const auto length_of = [&](int r) { return packed(m.received.length(r), gathered_bytes); };
  index_t total = 0;
  for_other_nodes(between, [&](int node) { total += bytes_from(node); });
  const std::byte* from = work.scratch_of(total);
  std::vector<MPI_Request> receives;
  std::byte* at = work.scratch.data();
  for_other_nodes(between, [&](int node) {
    const index_t bytes = bytes_from(node);
    if (bytes > 0) receives.push_back(between.receive(at, bytes, between.rank_of(node, 0)));
    at += bytes;
  });
  for (int r = 0; r < m.ranks; ++r) straight.expect(r);
  m.copy_own();
  for (const int r : between.ranks_of(between.node()))
    if (r != m.rank && length_of(r) > 0)
      copy_block(m.received.at(r), near.theirs(between.near_rank_of(r)) + gather_header_bytes, length_of(r));
  finish_messages(*work.near, receives);
  for_other_nodes(between, [&](int node) {
    for (const int r : between.ranks_of(node)) {
      copy_block(m.received.at(r), from, length_of(r));
      from += length_of(r);
    }
  });
}

// ---- scatterv: a staging area holds the lengths of the node's short blocks, and then these

index_t scatter_header_bytes(int near_ranks) { return in_lines(near_ranks * as_index(sizeof(length))); }

index_t scattered_bytes(const inter_node& between) {
  index_t longest = most_packed_bytes;
  for (int node = 0; node < between.nodes(); ++node) {
    const int near_ranks = between.near_size(node);
    longest = std::min(longest, (staging_bytes - scatter_header_bytes(near_ranks)) / near_ranks);
  }
  return longest;
}

index_t scatter_staging_bytes(int near_ranks, index_t limit) {
  return scatter_header_bytes(near_ranks) + near_ranks * limit;
}

// Returns the bytes that it wrote.
index_t write_blocks(std::byte* to, const movement& m, std::span<const int> ranks, index_t limit) {
  index_t at = scatter_header_bytes(static_cast<int>(ranks.size()));
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const auto bytes = static_cast<length>(ranks[r] == m.rank ? 0 : packed(m.sent.length(ranks[r]), limit));
    std::memcpy(to + r * sizeof bytes, &bytes, sizeof bytes);
    copy_block(to + at, m.sent.at(ranks[r]), bytes);
    at += bytes;
  }
  return at;
}

const std::byte* find_block(const std::byte* from, int near_rank, int near_ranks) {
  index_t at = scatter_header_bytes(near_ranks);
  for (int r = 0; r < near_rank; ++r) {
    length bytes = 0;
    std::memcpy(&bytes, from + as_size(r) * sizeof bytes, sizeof bytes);
    at += bytes;
  }
  return from + at;
}

void scatterv_on_root(workspace& work, staging_area& near, const movement& m, index_t limit,
                      straight_messages& straight) {
  inter_node& between = *work.far;
  index_t total = 0;
  for_other_nodes(between, [&](int node) {
    total += scatter_header_bytes(between.near_size(node)) + packed_total(m.sent, between.ranks_of(node), limit);
  });
  std::byte* to = work.scratch_of(total);
  std::vector<MPI_Request> sends;
  for_other_nodes(between, [&](int node) {
    const index_t bytes = write_blocks(to, m, between.ranks_of(node), limit);
    sends.push_back(between.send_ahead(to, bytes, between.rank_of(node, 0)));
    to += bytes;
  });
  if (work.near->size() > 1) {
    write_blocks(near.mine(), m, between.ranks_of(between.node()), limit);
    near.publish();
  }
  for (int r = 0; r < m.ranks; ++r) straight.send(r);
  m.copy_own();
  finish_messages(*work.near, sends);
}

void receive_blocks(workspace& work, staging_area& near, index_t limit, int root) {
  node_segment& h = *work.near;
  MPI_Request coming = work.far->receive(near.mine(), scatter_staging_bytes(h.size(), limit), root);
  finish_messages(h, {&coming, 1});
  near.publish();
}

// ---- alltoallv: a staging area holds the lengths of the short blocks that go to each rank and come from each rank,
// and the former

class pairs_run {
 public:
  pairs_run(workspace& work, const job& j)
      : work(work),
        h_(*work.near),
        between_(*work.far),
        m_(movement_in_team(work, j)),
        limit_(packed_bytes_between_pairs(between_.nodes(), state_of(work.members).largest_node)),
        lengths_bytes_(in_lines(index_t{2} * m_.ranks * as_index(sizeof(length)))),
        near_(h_, lengths_bytes_ + m_.ranks * limit_) {}

  void run() {
    straight_messages straight(work, m_, limit_);
    for (int i = 0; i + 1 < m_.ranks; ++i) straight.expect(m_.peer(i));
    show();
    for (int i = 0; i + 1 < m_.ranks; ++i) straight.send(m_.peer(i));
    m_.copy_own();
    look();
    pair_exchange pairs(
        work, [&](int node) { return bytes_to(node); }, [&](int node) { return bytes_from(node); });
    for (int node = 0; node < between_.nodes(); ++node)
      if (pairs.is_mine(node)) pack(pairs, node);
    take_near();
    pairs.finish();
    for (int node = 0; node < between_.nodes(); ++node)
      if (node != between_.node()) unpack(pairs, node);
    near_.leave();
    pairs.leave();
    straight.finish();
  }

 private:
  void show() {
    std::byte* mine = near_.mine();
    auto* lengths = reinterpret_cast<length*>(mine);
    std::byte* to = mine + lengths_bytes_;
    for (int r = 0; r < m_.ranks; ++r) {
      const index_t bytes = m_.sends_to(r) ? packed(m_.sent.length(r), limit_) : 0;
      lengths[r] = static_cast<length>(bytes);
      lengths[m_.ranks + r] = static_cast<length>(m_.receives_from(r) ? packed(m_.received.length(r), limit_) : 0);
      copy_block(to, m_.sent.at(r), bytes);
      to += bytes;
    }
    near_.publish();
  }

  void look() {
    for (int r = 0; r < h_.size(); ++r) shown_.push_back(r == h_.rank() ? near_.mine() : near_.theirs(r));
  }
  // Of what near rank r sends to a rank, and what it expects from it.
  index_t sent_by(int r, int to) const { return reinterpret_cast<const length*>(shown_[as_size(r)])[to]; }
  index_t expected_by(int r, int from) const { return sent_by(r, m_.ranks + from); }
  index_t bytes_to(int node) const {
    index_t total = 0;
    for (int r = 0; r < h_.size(); ++r)
      for (const int to : between_.ranks_of(node)) total += sent_by(r, to);
    return total;
  }
  index_t bytes_from(int node) const {
    index_t total = 0;
    for (int r = 0; r < h_.size(); ++r)
      for (const int from : between_.ranks_of(node)) total += expected_by(r, from);
    return total;
  }

  // What near rank r sends, by receiver.
  block_list<const std::byte> blocks_of(int r) {
    offsets_.resize(as_size(m_.ranks));
    lengths_.resize(as_size(m_.ranks));
    for (int to = 0; to < m_.ranks; ++to) lengths_[as_size(to)] = sent_by(r, to);
    std::exclusive_scan(lengths_.begin(), lengths_.end(), offsets_.begin(), lengths_bytes_);
    return {shown_[as_size(r)], 0, 0, lengths_.data(), offsets_.data()};
  }

  void pack(pair_exchange& pairs, int node) {
    std::byte* to = pairs.to_send(node);
    const std::byte* const start = to;
    const auto ranks = between_.ranks_of(node);
    for (int r = 0; r < h_.size(); ++r) {
      const auto blocks = blocks_of(r);
      pack_blocks(to, blocks, ranks);
      to += bytes_of(blocks, ranks);
    }
    pairs.send(node, to - start);
  }

  void take_near() {
    for (int r = 0; r < h_.size(); ++r) {
      if (r == h_.rank()) continue;
      const auto blocks = blocks_of(r);
      copy_block(m_.received.at(between_.rank_of(between_.node(), r)), blocks.at(m_.rank), blocks.length(m_.rank));
    }
  }

  // A message holds the blocks of one sender after the other.
  void unpack(pair_exchange& pairs, int node) {
    const std::byte* from = nullptr;
    index_t at = 0;
    for (const int sender : between_.ranks_of(node))
      for (int r = 0; r < h_.size(); ++r) {
        const index_t bytes = expected_by(r, sender);
        if (r == h_.rank() && bytes > 0) {
          if (from == nullptr) from = pairs.message_from(node);
          copy_block(m_.received.at(sender), from + at, bytes);
        }
        at += bytes;
      }
  }

  workspace& work;
  node_segment& h_;
  const inter_node& between_;
  movement m_;
  index_t limit_, lengths_bytes_;
  staging_area near_;
  std::vector<const std::byte*> shown_;
  std::vector<index_t> offsets_, lengths_;
};

}  // namespace

index_t packed_bytes_between_pairs(int nodes, int near_ranks) {
  return std::min(most_packed_bytes, staging_bytes / (index_t{near_ranks} * near_ranks * nodes));
}

void gatherv_by_leaders(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  const movement m = movement_in_team(work, j);
  const speakers who(*work.far, j.root);
  straight_messages straight(work, m, gathered_bytes);
  staging_area near(h, gather_staging_bytes);
  if (m.rank == j.root) {
    gatherv_on_root(work, near, m, straight);
  } else {
    straight.send(j.root);
    MPI_Request sent = MPI_REQUEST_NULL;
    if (h.rank() != who.here())
      show_block(near, m);
    else if (const index_t bytes = collect_blocks(work, near, m); bytes > 0)
      sent = work.far->send_ahead(work.scratch.data(), bytes, j.root);
    finish_messages(h, {&sent, 1});
  }
  straight.finish();
  near.leave();
  h.leave();
}

void scatterv_by_leaders(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  const movement m = movement_in_team(work, j);
  const speakers who(*work.far, j.root);
  const index_t limit = scattered_bytes(*work.far);
  straight_messages straight(work, m, limit);
  staging_area near(h, scatter_staging_bytes(h.size(), limit));
  if (m.rank == j.root) {
    scatterv_on_root(work, near, m, limit, straight);
  } else {
    straight.expect(j.root);
    if (h.rank() == who.here()) receive_blocks(work, near, limit, j.root);
    const index_t bytes = packed(m.received.bytes, limit);
    if (bytes > 0) {
      const std::byte* shown = h.rank() == who.here() ? near.mine() : near.theirs(who.here());
      copy_block(j.out, find_block(shown, h.rank(), h.size()), bytes);
    }
  }
  straight.finish();
  near.leave();
  h.leave();
}

void alltoallv_by_pairs(workspace& work, const job& j) {
  work.near->begin();
  pairs_run(work, j).run();
  work.near->all_arrived();
}

}  // namespace nearfar::collective
