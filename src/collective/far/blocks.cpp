// SPDX-License-Identifier: BSD-3-Clause
// Blocks of all ranks of a node travel together.
#include "blocks.hpp"

#include "board.hpp"

namespace nearfar::collective {

namespace {

constexpr index piece_bytes = 32 << 10;

// Receives one packed message from every other node and unpacks it.
class arrivals {
 public:
  arrivals(rooms& room, index bytes) : room_(room), bytes_(bytes) {
    const columns& between = *room.far;
    index total = 0;
    for (int node = 0; node < between.nodes(); ++node)
      if (node != between.node()) total += between.near_size(node) * bytes;
    scratch_ = room.scratch_of(total);
  }

  void expect(const speakers& who) {
    index at = 0;
    for (int node = 0; node < who.between.nodes(); ++node) {
      if (node == who.between.node()) continue;
      const index bytes = who.between.near_size(node) * bytes_;
      requests_.push_back(who.between.receive(scratch_ + at, bytes, who.rank_on(node)));
      at += bytes;
    }
  }

  void finish(std::byte* all) {
    finish_messages(*room_.near, requests_);
    const columns& between = *room_.far;
    const std::byte* from = scratch_;
    for (int node = 0; node < between.nodes(); ++node) {
      if (node == between.node()) continue;
      unpack_blocks(all, from, between.ranks_of(node), bytes_);
      from += between.near_size(node) * bytes_;
    }
  }

 private:
  rooms& room_;
  index bytes_;
  std::byte* scratch_;
  std::vector<MPI_Request> requests_;
};

// All near ranks' blocks to their places in `all`.
void collect_near(rooms& room, const job& j, board& near, std::byte* all) {
  const auto ranks = room.far->ranks_of(room.far->node());
  for (int r = 0; r < room.near->size(); ++r)
    copy_block(all + ranks[as_size(r)] * j.bytes, r == room.near->rank() ? j.in : near.theirs(r), j.bytes);
}

void gather_to_root(rooms& room, const job& j, board& near, const speakers& who) {
  arrivals others(room, j.bytes);
  others.expect(who);
  collect_near(room, j, near, j.out);
  others.finish(j.out);
}

void gather_from_leader(rooms& room, const job& j, board& near, const speakers& who) {
  hall& h = *room.near;
  std::byte* packed = room.scratch_of(h.size() * j.bytes);
  for (int r = 0; r < h.size(); ++r)
    std::memcpy(packed + r * j.bytes, r == h.rank() ? j.in : near.theirs(r), as_size(j.bytes));
  MPI_Request sent = who.between.send_ahead(packed, h.size() * j.bytes, j.root);
  finish_messages(h, {&sent, 1});
}

void scatter_from_root(rooms& room, const job& j, board& near, const speakers& who) {
  hall& h = *room.near;
  const columns& between = who.between;
  std::byte* packed = room.scratch_of(j.bytes * room.members.size());
  std::vector<MPI_Request> requests;
  for (int node = 0; node < between.nodes(); ++node) {
    if (node == between.node()) continue;
    const index bytes = between.near_size(node) * j.bytes;
    pack_blocks(packed, j.in, between.ranks_of(node), j.bytes);
    requests.push_back(who.between.send_ahead(packed, bytes, who.rank_on(node)));
    packed += bytes;
  }
  if (h.size() > 1) pack_blocks(near.mine(), j.in, between.ranks_of(between.node()), j.bytes);
  near.publish();
  copy_block(j.out, j.in + j.root * j.bytes, j.bytes);
  finish_messages(h, requests);
}

void scatter_to_leader(rooms& room, const job& j, board& near, const speakers& who) {
  hall& h = *room.near;
  MPI_Request coming = who.between.receive(near.mine(), h.size() * j.bytes, j.root);
  finish_messages(h, {&coming, 1});
  near.publish();
  std::memcpy(j.out, near.mine(), as_size(j.bytes));
}

// The blocks that one near rank has for the others, as a stream of bytes that goes through its ring in pieces.
class stream {
 public:
  stream(std::vector<int> ranks, index bytes) : ranks_(std::move(ranks)), bytes_(bytes) {}
  index length() const { return as_index(ranks_.size()) * bytes_; }
  index pieces() const { return (length() + piece_bytes - 1) / piece_bytes; }
  std::size_t blocks() const { return ranks_.size(); }
  /// Blocks that piece k reaches into.
  std::size_t blocks_up_to(index k) const {
    return as_size((std::min(length(), (k + 1) * piece_bytes) + bytes_ - 1) / bytes_);
  }

  // Calls copy(offset in the list of all blocks, offset in the piece, bytes) for the parts of piece k.
  template <class Copy>
  void for_parts(index k, Copy copy) const {
    const index first = k * piece_bytes, end = std::min(length(), first + piece_bytes);
    for (index at = first; at < end;) {
      const index block = at / bytes_, within = at % bytes_;
      const index bytes = std::min(bytes_ - within, end - at);
      copy(ranks_[as_size(block)] * bytes_ + within, at - first, bytes);
      at += bytes;
    }
  }

 private:
  std::vector<int> ranks_;
  index bytes_;
};

// The near rank of `node` to which the rank with near rank `of` on another node sends.
int receiver_on(const columns& between, int node, int of) { return of % between.near_size(node); }

// What near rank r hands around: its own block, and those that other nodes sent to it.
stream stream_of(const columns& between, int r, index bytes) {
  std::vector<int> ranks{between.rank_of(between.node(), r)};
  for (int node = 0; node < between.nodes(); ++node)
    for (int q = 0; node != between.node() && q < between.near_size(node); ++q)
      if (receiver_on(between, between.node(), q) == r) ranks.push_back(between.rank_of(node, q));
  return {std::move(ranks), bytes};
}

class allgather_run {
 public:
  allgather_run(rooms& room, const job& j) : h_(*room.near), between_(*room.far), j_(j) {
    for (int r = 0; r < h_.size(); ++r) streams_.push_back(stream_of(between_, r, j.bytes));
    for (const stream& s : streams_) steps_ = std::max(steps_, s.pieces());
  }

  void run() {
    h_.begin();
    exchange();
    copy_block(j_.out + between_.rank_of(between_.node(), h_.rank()) * j_.bytes, j_.in, j_.bytes);
    std::uint64_t before = 0;
    for (index k = 0; k <= steps_; ++k) {
      const std::uint64_t now = k < steps_ ? h_.reserve(piece_bytes) : 0;
      if (k < steps_) hand_out(k, now);
      if (k > 0) take_in(k - 1, before);
      before = now;
    }
    finish_messages(h_, receives_);
    finish_messages(h_, sends_);
    h_.all_arrived();
  }

 private:
  void exchange() {
    for (int node = 0; node < between_.nodes(); ++node)
      for (int q = 0; node != between_.node() && q < between_.near_size(node); ++q)
        if (receiver_on(between_, between_.node(), q) == h_.rank()) {
          const int from = between_.rank_of(node, q);
          receives_.push_back(between_.receive(j_.out + from * j_.bytes, j_.bytes, from));
        }
    for (int i = 1; i < between_.nodes(); ++i) {
      const int node = (between_.node() + i) % between_.nodes();
      const int to = between_.rank_of(node, receiver_on(between_, node, h_.rank()));
      sends_.push_back(between_.send(j_.in, j_.bytes, to));
    }
  }

  // The first block is this rank's own: it goes out while the others come.
  void hand_out(index k, std::uint64_t at) {
    const stream& own = streams_[as_size(h_.rank())];
    if (k < own.pieces()) {
      finish_messages(h_, {receives_.data(), own.blocks_up_to(k) - 1});
      std::byte* to = h_.mine(at, piece_bytes);
      if (h_.size() > 1)
        own.for_parts(k, [&](index in_all, index in_piece, index bytes) {
          std::memcpy(to + in_piece, j_.out + in_all, as_size(bytes));
        });
    }
    h_.publish(at + static_cast<std::uint64_t>(piece_bytes));
  }

  void take_in(index k, std::uint64_t at) {
    for (int i = 1; i < h_.size(); ++i) {
      const int r = (h_.rank() + i) % h_.size();
      const stream& theirs = streams_[as_size(r)];
      if (k >= theirs.pieces()) continue;
      const std::byte* from = h_.theirs(r, at, piece_bytes);
      theirs.for_parts(k, [&](index in_all, index in_piece, index bytes) {
        std::memcpy(j_.out + in_all, from + in_piece, as_size(bytes));
      });
    }
    h_.take(at + static_cast<std::uint64_t>(piece_bytes));
  }

  hall& h_;
  const columns& between_;
  const job& j_;
  std::vector<stream> streams_;
  index steps_ = 0;
  std::vector<MPI_Request> receives_, sends_;
};

}  // namespace

void gather_by_leaders(rooms& room, const job& j) {
  hall& h = *room.near;
  h.begin();
  const speakers who(*room.far, j.root);
  board near(h, j.bytes);
  if (h.rank() != who.here())
    near.write(j.in, j.bytes);
  else if (room.members.rank() == j.root)
    gather_to_root(room, j, near, who);
  else
    gather_from_leader(room, j, near, who);
  near.leave();
  h.leave();
}

void scatter_by_leaders(rooms& room, const job& j) {
  hall& h = *room.near;
  h.begin();
  const speakers who(*room.far, j.root);
  board near(h, h.size() * j.bytes);
  if (h.rank() != who.here())
    std::memcpy(j.out, near.theirs(who.here()) + h.rank() * j.bytes, as_size(j.bytes));
  else if (room.members.rank() == j.root)
    scatter_from_root(room, j, near, who);
  else
    scatter_to_leader(room, j, near, who);
  near.leave();
  h.leave();
}

void allgather_by_leaders(rooms& room, const job& j) {
  hall& h = *room.near;
  h.begin();
  const columns& between = *room.far;
  const speakers leaders(*room.far, room.far->rank_of(between.node(), 0));
  board near(h, j.bytes), far(h, j.bytes * room.members.size());
  if (h.size() > 1) near.write(j.in, j.bytes);
  if (h.rank() == 0) {
    arrivals others(room, j.bytes);
    others.expect(leaders);
    std::vector<std::byte> packed(as_size(h.size() * j.bytes));
    for (int r = 0; r < h.size(); ++r)
      std::memcpy(packed.data() + r * j.bytes, r == 0 ? j.in : near.theirs(r), as_size(j.bytes));
    std::vector<MPI_Request> sends;
    for (int i = 1; i < between.nodes(); ++i)
      sends.push_back(between.send(packed.data(), as_index(packed.size()),
                                   between.rank_of((between.node() + i) % between.nodes(), 0)));
    collect_near(room, j, near, j.out);
    others.finish(j.out);
    if (h.size() > 1) far.write(j.out, j.bytes * room.members.size());
    finish_messages(h, sends);
  } else {
    collect_near(room, j, near, j.out);
    const std::byte* all = far.theirs(0);
    for (int node = 0; node < between.nodes(); ++node)
      for (const int r : between.ranks_of(node))
        if (node != between.node()) std::memcpy(j.out + r * j.bytes, all + r * j.bytes, as_size(j.bytes));
  }
  near.leave();
  far.leave();
  h.all_arrived();
}

void allgather_by_lanes(rooms& room, const job& j) { allgather_run(room, j).run(); }

}  // namespace nearfar::collective
