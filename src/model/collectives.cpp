// SPDX-License-Identifier: BSD-3-Clause
// Collective calls as lists of operations: what is copied within the nodes around the messages between them, piece by
// piece.
#include <algorithm>
#include <collective/inter_node.hpp>
#include <model/workloads.hpp>

namespace nearfar::model {

namespace {

using collective::kind;
using collective::step_message;

/// What a near rank copies before anything leaves the node, and after all has come.
struct node_copies {
  index_t own = 0;                ///< its own data, for others to read
  index_t before = 0, after = 0;  ///< what others have written
  bool speaks_first = true;       ///< near ranks give to those who send
  bool listens_after = true;      ///< and get from those who receive
};

/// @param owners  ranks of the node that combine a slice each
node_copies copies_of(const collective::modelled_call& c, const node_shape& shape, int near_ranks, int owners) {
  const index_t all = c.bytes * shape.ranks;
  switch (c.what) {
    case kind::barrier:
      return {.listens_after = shape.nodes() > 1};
    case kind::bcast:
      return {.after = c.bytes, .speaks_first = false};
    case kind::reduce:
      return {.before = c.bytes * near_ranks, .listens_after = false};
    case kind::allreduce:
      if (shape.nodes() == 1 && owners == 1)  // each sums all itself
        return {.before = c.bytes * near_ranks, .listens_after = false};
      return {.own = c.bytes, .before = c.bytes / owners * near_ranks, .after = c.bytes};
    case kind::allgather:
      return {.own = c.bytes, .after = all};
    default:
      return {.own = all, .after = all};
  }
}

/// Ranks of a node that each combine or send a slice of their own.
int owners_by(const std::string& method, const node_shape& shape, int near_ranks) {
  const auto has = [&](const char* part) { return method.find(part) != std::string::npos; };
  if (shape.nodes() == 1) return has("ring") || has("stream") ? near_ranks : 1;
  return has("lane") ? std::max(1, std::min(near_ranks, collective::inter_node::most_lanes)) : 1;
}

/// The messages of one piece of a vector, by steps that wait for each other: sends, then receives.
class piece_in_flight {
 public:
  /// In the order of steps.
  void add(const step_message& m) {
    if (steps_.empty() || steps_.back().front().step != m.step) steps_.emplace_back();
    steps_.back().push_back(m);
  }
  void begin(std::vector<operation>& to) const { say(to, true); }
  bool is_over() const { return next_ == steps_.size(); }
  /// Waits for a step's messages and sends those of the next one.
  void advance(std::vector<operation>& to) {
    if (is_over()) return;
    say(to, false);
    ++next_;
    say(to, true);
  }

 private:
  void say(std::vector<operation>& to, bool is_sending) const {
    if (is_over()) return;
    for (const step_message& m : steps_[next_])
      if (m.is_send == is_sending)
        to.push_back({is_sending ? action::send : action::receive, path::far, m.peer, m.bytes, 0});
  }
  std::vector<std::vector<step_message>> steps_;
  std::size_t next_ = 0;
};

/// Of a byte that a rank copies, its own or what the ranks of its node have written in equal parts, and until a near
/// rank has noticed something.
struct byte_times {
  double own_us = 0, node_us = 0, notice_us = 0;
};

byte_times times_of(const machine& m, index_t vector_bytes, int near_ranks) {
  const auto bytes = static_cast<double>(std::max<index_t>(vector_bytes, 1));  // where it lies, not its pieces
  const double own_us = m.copy_us({.bytes = bytes}, near_ranks) / bytes;
  const double others_us = m.copy_us({.bytes = bytes, .is_of_peer = true}, near_ranks) / bytes;
  return {own_us, others_us + (own_us - others_us) / near_ranks, m.near.notice_us};
}

/// One rank's part of a call.
class rank_call {
 public:
  rank_call(std::vector<operation>& to, int near_ranks, node_copies copies, byte_times times)
      : to_(to), near_ranks_(near_ranks), copies_(copies), times_(times) {}

  /// Where pieces overlap, a piece is combined and begun before the one ahead of it is over: two are in flight, whose
  /// steps alternate, as in running allreduces.
  void run(const std::vector<step_message>& all, index_t pieces, bool is_overlapped) {
    std::vector<piece_in_flight> in_flight(as_size(pieces));
    for (const step_message& m : all) in_flight[as_size(m.piece)].add(m);
    for (std::size_t k = 0; k < in_flight.size(); ++k) {
      copy(copies_.own, times_.own_us, pieces);
      meet(copies_.speaks_first, copies_.before, pieces);
      in_flight[k].begin(to_);
      if (is_overlapped && k == 0 && pieces > 1) continue;
      const std::size_t ahead = is_overlapped && k > 0 ? k - 1 : k;
      finish(in_flight[ahead], in_flight[k], pieces);
    }
    if (is_overlapped && pieces > 1) finish(in_flight.back(), in_flight.back(), pieces);
  }

 private:
  void finish(piece_in_flight& ahead, piece_in_flight& behind, index_t pieces) {
    while (!ahead.is_over()) {
      ahead.advance(to_);
      if (&behind != &ahead && !ahead.is_over()) behind.advance(to_);
    }
    meet(copies_.listens_after, copies_.after, pieces);
  }

  void meet(bool is_needed, index_t bytes, index_t pieces) {
    if (near_ranks_ == 1) return;
    if (is_needed) to_.push_back(node_barrier(times_.notice_us));
    copy(bytes, times_.node_us, pieces);
  }

  void copy(index_t bytes, double us_per_byte, index_t pieces) {
    const double us = static_cast<double>(bytes) * us_per_byte / static_cast<double>(pieces);
    if (us > 0 && near_ranks_ > 1) to_.push_back({.what = action::compute, .us = us});
  }

  std::vector<operation>& to_;
  int near_ranks_;
  node_copies copies_;
  byte_times times_;
};

}  // namespace

program collective_program(const node_shape& shape, const collective::modelled_call& call, const std::string& method,
                           const machine& m) {
  program p{shape, {}};
  index_t pieces = 1;  // the first rank leads its node, and is the root
  for (const step_message& x : collective::messages_of(shape, 0, call, method)) pieces = std::max(pieces, x.piece + 1);
  for (int rank = 0; rank < shape.ranks; ++rank) {
    const int near_ranks = shape.size_of(shape.node_of(rank));
    const node_copies copies = copies_of(call, shape, near_ranks, owners_by(method, shape, near_ranks));
    rank_program r{rank, {}};
    std::vector<step_message> all = collective::messages_of(shape, rank, call, method);
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
    rank_call(r.operations, near_ranks, copies, times_of(m, call.bytes, near_ranks))
        .run(all, pieces, call.what == kind::allreduce);
    p.ranks.push_back(std::move(r));
  }
  return p;
}

}  // namespace nearfar::model
