// SPDX-License-Identifier: BSD-3-Clause
// Blocks of all ranks of a node travel together.
#include "blocks.hpp"

#include "staging_area.hpp"

namespace nearfar::collective {

namespace {

constexpr index_t piece_bytes = 32 << 10;

template <class Visit>
void for_other_nodes(const inter_node& between, Visit visit) {
  for (int node = 0; node < between.nodes(); ++node)
    if (node != between.node()) visit(node);
}

index_t bytes_of_others(const inter_node& between, const block_list<std::byte>& all) {
  index_t total = 0;
  for_other_nodes(between, [&](int node) { total += bytes_of(all, between.ranks_of(node)); });
  return total;
}

// One packed message from every other node, into `memory`, one behind the other.
std::vector<MPI_Request> expect_others(const speakers& who, const block_list<std::byte>& all, std::byte* memory) {
  std::vector<MPI_Request> requests;
  for_other_nodes(who.between, [&](int node) {
    const index_t bytes = bytes_of(all, who.between.ranks_of(node));
    if (bytes > 0) requests.push_back(who.between.receive(memory, bytes, who.rank_on(node)));
    memory += bytes;
  });
  return requests;
}

void unpack_others(const inter_node& between, const block_list<std::byte>& all, const std::byte* packed) {
  for_other_nodes(between, [&](int node) {
    unpack_blocks(all, packed, between.ranks_of(node));
    packed += bytes_of(all, between.ranks_of(node));
  });
}

// All near ranks' blocks to their places in `all`.
void collect_near(workspace& work, const job& j, staging_area& near, const block_list<std::byte>& all) {
  const auto ranks = work.far->ranks_of(work.far->node());
  for (int r = 0; r < work.near->size(); ++r)
    copy_block(all.at(ranks[as_size(r)]), r == work.near->rank() ? j.in : near.theirs(r),
               all.length(ranks[as_size(r)]));
}

void gather_to_root(workspace& work, const job& j, staging_area& near, const speakers& who) {
  const auto all = equal_blocks(j.out, j.bytes);
  std::byte* packed = work.scratch_of(bytes_of_others(who.between, all));
  auto requests = expect_others(who, all, packed);
  collect_near(work, j, near, all);
  finish_messages(*work.near, requests);
  unpack_others(who.between, all, packed);
}

void gather_from_leader(workspace& work, const job& j, staging_area& near, const speakers& who) {
  node_segment& h = *work.near;
  std::byte* packed = work.scratch_of(h.size() * j.bytes);
  for (int r = 0; r < h.size(); ++r)
    std::memcpy(packed + r * j.bytes, r == h.rank() ? j.in : near.theirs(r), as_size(j.bytes));
  MPI_Request sent = who.between.send_ahead(packed, h.size() * j.bytes, j.root);
  finish_messages(h, {&sent, 1});
}

void scatter_from_root(workspace& work, const job& j, staging_area& near, const speakers& who) {
  node_segment& h = *work.near;
  const inter_node& between = who.between;
  const auto all = equal_blocks(j.in, j.bytes);
  std::byte* packed = work.scratch_of(j.bytes * work.members.size());
  std::vector<MPI_Request> requests;
  for (int node = 0; node < between.nodes(); ++node) {
    if (node == between.node()) continue;
    const index_t bytes = between.near_size(node) * j.bytes;
    pack_blocks(packed, all, between.ranks_of(node));
    requests.push_back(who.between.send_ahead(packed, bytes, who.rank_on(node)));
    packed += bytes;
  }
  if (h.size() > 1) pack_blocks(near.mine(), all, between.ranks_of(between.node()));
  near.publish();
  copy_block(j.out, j.in + j.root * j.bytes, j.bytes);
  finish_messages(h, requests);
}

void scatter_to_leader(workspace& work, const job& j, staging_area& near, const speakers& who) {
  node_segment& h = *work.near;
  MPI_Request coming = who.between.receive(near.mine(), h.size() * j.bytes, j.root);
  finish_messages(h, {&coming, 1});
  near.publish();
  std::memcpy(j.out, near.mine(), as_size(j.bytes));
}

// The blocks that one near rank has for the others, as a stream of bytes that goes through its ring in pieces.
class stream {
 public:
  stream(std::vector<int> ranks, const block_list<std::byte>& all) : ranks_(std::move(ranks)), starts_(1, 0) {
    for (const int r : ranks_) starts_.push_back(starts_.back() + all.length(r));
  }
  const std::vector<int>& ranks() const { return ranks_; }
  index_t pieces() const { return (length() + piece_bytes - 1) / piece_bytes; }
  /// Blocks that begin before the end of piece k.
  std::size_t blocks_up_to(index_t k) const {
    const index_t end = std::min(length(), (k + 1) * piece_bytes);
    return as_size(std::lower_bound(starts_.begin(), starts_.end() - 1, end) - starts_.begin());
  }

  // Calls copy(rank, offset in its block, offset in the piece, bytes) for the parts of piece k.
  template <class Copy>
  void for_parts(index_t k, Copy copy) const {
    const index_t first = k * piece_bytes, end = std::min(length(), first + piece_bytes);
    auto block = as_size(std::upper_bound(starts_.begin(), starts_.end(), first) - starts_.begin()) - 1;
    for (index_t at = first; at < end; ++block) {
      const index_t bytes = std::min(starts_[block + 1], end) - at;
      if (bytes > 0) copy(ranks_[block], at - starts_[block], at - first, bytes);
      at += bytes;
    }
  }

 private:
  index_t length() const { return starts_.back(); }
  std::vector<int> ranks_;
  std::vector<index_t> starts_;
};

// The near rank of `node` to which the rank with near rank `of` on another node sends.
int receiver_on(const inter_node& between, int node, int of) { return of % between.near_size(node); }

// What near rank r hands around: its own block, and those that other nodes sent to it.
stream stream_of(const inter_node& between, int r, const block_list<std::byte>& all) {
  std::vector<int> ranks{between.rank_of(between.node(), r)};
  for_other_nodes(between, [&](int node) {
    for (int q = 0; q < between.near_size(node); ++q)
      if (receiver_on(between, between.node(), q) == r) ranks.push_back(between.rank_of(node, q));
  });
  return {std::move(ranks), all};
}

class allgather_run {
 public:
  allgather_run(workspace& work, const job& j)
      : h_(*work.near), between_(*work.far), m_(movement_of(j, work.members.rank(), work.members.size())) {
    for (int r = 0; r < h_.size(); ++r) streams_.push_back(stream_of(between_, r, m_.received));
    for (const stream& s : streams_) steps_ = std::max(steps_, s.pieces());
  }

  void run() {
    h_.begin();
    exchange();
    m_.copy_own();
    std::uint64_t before = 0;
    for (index_t k = 0; k <= steps_; ++k) {
      const std::uint64_t now = k < steps_ ? h_.reserve(piece_bytes) : 0;
      if (k < steps_) hand_out(k, now);
      if (k > 0) take_in(k - 1, before);
      before = now;
    }
    finish_messages(h_, receives_);
    finish_messages(h_, sends_);
    end_call(h_, m_);
  }

 private:
  // One request for each block of the own stream, none for the own block and for empty ones.
  void exchange() {
    for (const int from : streams_[as_size(h_.rank())].ranks()) {
      const index_t bytes = from == m_.rank ? 0 : m_.received.length(from);
      receives_.push_back(bytes == 0 ? MPI_REQUEST_NULL : between_.receive(m_.received.at(from), bytes, from));
    }
    const index_t bytes = m_.received.length(m_.rank);
    for (int i = 1; bytes > 0 && i < between_.nodes(); ++i) {
      const int node = (between_.node() + i) % between_.nodes();
      const int to = between_.rank_of(node, receiver_on(between_, node, h_.rank()));
      sends_.push_back(between_.send(m_.sent.base, bytes, to));
    }
  }

  // The first block is this rank's own: it goes out while the others come.
  void hand_out(index_t k, std::uint64_t at) {
    const stream& own = streams_[as_size(h_.rank())];
    if (k < own.pieces()) {
      finish_messages(h_, {receives_.data(), own.blocks_up_to(k)});
      std::byte* to = h_.mine(at, piece_bytes);
      if (h_.size() > 1)
        own.for_parts(k, [&](int r, index_t in_block, index_t in_piece, index_t bytes) {
          std::memcpy(to + in_piece, m_.received.at(r) + in_block, as_size(bytes));
        });
    }
    h_.publish(at + static_cast<std::uint64_t>(piece_bytes));
  }

  void take_in(index_t k, std::uint64_t at) {
    for (int i = 1; i < h_.size(); ++i) {
      const int r = (h_.rank() + i) % h_.size();
      const stream& theirs = streams_[as_size(r)];
      if (k >= theirs.pieces()) continue;
      const std::byte* from = h_.theirs(r, at, piece_bytes);
      theirs.for_parts(k, [&](int block, index_t in_block, index_t in_piece, index_t bytes) {
        std::memcpy(m_.received.at(block) + in_block, from + in_piece, as_size(bytes));
      });
    }
    h_.take(at + static_cast<std::uint64_t>(piece_bytes));
  }

  node_segment& h_;
  const inter_node& between_;
  const movement m_;
  std::vector<stream> streams_;
  index_t steps_ = 0;
  std::vector<MPI_Request> receives_, sends_;
};

index_t longest_of(const block_list<std::byte>& all, std::span<const int> ranks) {
  index_t longest = 0;
  for (const int r : ranks) longest = std::max(longest, all.length(r));
  return longest;
}

// The blocks of this node, in one message to every other.
std::vector<MPI_Request> send_to_others(workspace& work, const job& j, staging_area& near, const movement& m) {
  const inter_node& between = *work.far;
  const auto here = between.ranks_of(between.node());
  const index_t total = bytes_of(m.received, here);
  std::byte* to = work.scratch_of(total);
  for (int r = 0; r < work.near->size(); ++r) {
    const index_t bytes = m.received.length(here[as_size(r)]);
    copy_block(to, r == 0 ? j.in : near.theirs(r), bytes);
    to += bytes;
  }
  std::vector<MPI_Request> sends;
  for (int i = 1; total > 0 && i < between.nodes(); ++i)
    sends.push_back(between.send(to - total, total, between.rank_of((between.node() + i) % between.nodes(), 0)));
  return sends;
}

}  // namespace

void gather_by_leaders(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  const speakers who(*work.far, j.root);
  staging_area near(h, j.bytes);
  if (h.rank() != who.here())
    near.write(j.in, j.bytes);
  else if (work.members.rank() == j.root)
    gather_to_root(work, j, near, who);
  else
    gather_from_leader(work, j, near, who);
  near.leave();
  h.leave();
}

void scatter_by_leaders(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  const speakers who(*work.far, j.root);
  staging_area near(h, h.size() * j.bytes);
  if (h.rank() != who.here())
    std::memcpy(j.out, near.theirs(who.here()) + h.rank() * j.bytes, as_size(j.bytes));
  else if (work.members.rank() == j.root)
    scatter_from_root(work, j, near, who);
  else
    scatter_to_leader(work, j, near, who);
  near.leave();
  h.leave();
}

void allgather_by_leaders(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  const inter_node& between = *work.far;
  const movement m = movement_of(j, work.members.rank(), work.members.size());
  const auto here = between.ranks_of(between.node());
  const speakers leaders(*work.far, between.rank_of(between.node(), 0));
  staging_area near(h, longest_of(m.received, here)), far(h, bytes_of_others(between, m.received));
  if (h.size() > 1) near.write(j.in, m.received.length(m.rank));
  if (h.rank() == 0) {
    auto receives = expect_others(leaders, m.received, far.mine());
    auto sends = send_to_others(work, j, near, m);
    collect_near(work, j, near, m.received);
    finish_messages(h, receives);
    far.publish();
    unpack_others(between, m.received, far.mine());
    finish_messages(h, sends);
  } else {
    collect_near(work, j, near, m.received);
    unpack_others(between, m.received, far.theirs(0));
  }
  near.leave();
  far.leave();
  h.all_arrived();
}

void allgather_by_lanes(workspace& work, const job& j) { allgather_run(work, j).run(); }

}  // namespace nearfar::collective
