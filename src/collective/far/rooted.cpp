// SPDX-License-Identifier: BSD-3-Clause
// Trees over the nodes; within each node one rank that all others read, or that reads all others.
#include "rooted.hpp"

#include <algorithm>
#include <collective/inter_node.hpp>
#include <cstring>

#include "../reductions/lines.hpp"
#include "staging_area.hpp"

namespace nearfar::collective {

namespace {

constexpr index_t window = 4;  // pieces for which messages may be under way

// Waits of one speaker on the messages of a piece; slots are used again `window` pieces later.
class messages {
 public:
  messages(node_segment& h, std::size_t peers)
      : h_(h), peers_(peers), requests_(as_size(window) * peers, MPI_REQUEST_NULL) {}
  std::span<MPI_Request> of(index_t k) { return {requests_.data() + as_size(k % window) * peers_, peers_}; }
  void finish(index_t k) { finish_messages(h_, of(k)); }
  void finish_all() { finish_messages(h_, requests_); }

 private:
  node_segment& h_;
  std::size_t peers_;
  std::vector<MPI_Request> requests_;
};

class bcast_source {
 public:
  bcast_source(node_segment& h, const job& j, const speakers& who, const tree& branches, const piece_list& cut)
      : j_(j), who_(who), branches_(branches), cut_(cut), in_(h, 1), out_(h, branches.children.size()) {
    for (index_t k = 0; k < std::min(window, cut.pieces); ++k) expect(k);
  }

  void pass_on(index_t k) {
    if (branches_.parent >= 0) in_.finish(k);
    out_.finish(k);
    for (std::size_t c = 0; c < branches_.children.size(); ++c)
      out_.of(k)[c] =
          who_.between.send_ahead(j_.out + cut_.offset(k), cut_.bytes(k), who_.rank_on(branches_.children[c]));
    if (k + window < cut_.pieces) expect(k + window);
  }
  void finish() { out_.finish_all(); }

 private:
  void expect(index_t k) {
    if (branches_.parent >= 0)
      in_.of(k)[0] = who_.between.receive(j_.out + cut_.offset(k), cut_.bytes(k), who_.rank_on(branches_.parent));
  }

  const job& j_;
  const speakers& who_;
  const tree& branches_;
  const piece_list& cut_;
  messages in_, out_;
};

// A node's part of a reduction: what its own ranks and the nodes below it in the tree give is combined and handed to
// the node above.
class reduce_sink {
 public:
  reduce_sink(workspace& work, const job& j, const speakers& who, const tree& branches, const piece_list& cut)
      : j_(j),
        who_(who),
        branches_(branches),
        cut_(cut),
        buffer_bytes_(std::min(cut.per_piece, cut.count) * cut.element),
        is_root_(branches.parent < 0),
        in_(*work.near, branches.children.size()),
        out_(*work.near, 1) {
    const auto buffers = as_index(branches.children.size()) + (is_root_ ? 0 : 1);
    scratch_ = work.scratch_of(window * buffers * buffer_bytes_);
    for (index_t k = 0; k < std::min(window, cut.pieces); ++k) expect(k);
  }

  // Where this node's part of piece k is to be put.
  std::byte* place(index_t k) {
    if (is_root_) return j_.out + cut_.offset(k);
    out_.finish(k);
    return scratch_ + (k % window * buffers() + as_index(branches_.children.size())) * buffer_bytes_;
  }

  void pass_on(index_t k) {
    std::byte* sum = place(k);
    in_.finish(k);
    combine(k, sum);
    if (k + window < cut_.pieces) expect(k + window);
    if (!is_root_) out_.of(k)[0] = who_.between.send_ahead(sum, cut_.bytes(k), who_.rank_on(branches_.parent));
  }
  void finish() { out_.finish_all(); }

 private:
  index_t buffers() const { return as_index(branches_.children.size()) + (is_root_ ? 0 : 1); }
  std::byte* from_child(index_t k, std::size_t c) const {
    return scratch_ + (k % window * buffers() + as_index(c)) * buffer_bytes_;
  }
  void expect(index_t k) {
    for (std::size_t c = 0; c < branches_.children.size(); ++c)
      in_.of(k)[c] = who_.between.receive(from_child(k, c), cut_.bytes(k), who_.rank_on(branches_.children[c]));
  }

  // In the order of nodes where the root hears from all of them; otherwise the operation commutes.
  void combine(index_t k, std::byte* sum) {
    if (branches_.children.empty()) return;
    parts_.assign(branches_.children.size() + 1, nullptr);
    const auto here = static_cast<std::size_t>(who_.between.node());
    const bool is_star = parts_.size() == static_cast<std::size_t>(who_.between.nodes());
    const std::size_t own = is_star ? here : 0;
    parts_[own] = sum;
    for (std::size_t c = 0; c < branches_.children.size(); ++c)
      parts_[is_star ? static_cast<std::size_t>(branches_.children[c]) : c + 1] = from_child(k, c);
    j_.op.combine_all(sum, parts_.data(), static_cast<int>(parts_.size()), cut_.elements(k));
  }

  const job& j_;
  const speakers& who_;
  const tree& branches_;
  const piece_list& cut_;
  index_t buffer_bytes_;
  bool is_root_;
  messages in_, out_;
  std::byte* scratch_ = nullptr;
  std::vector<const std::byte*> parts_;
};

const tree& reduction_tree(const speakers& who, const job& j, tree_shape beyond) {
  return who.between.tree_from(who.root_node, reduction_shape(who.between.nodes(), j.op.is_commutative(), beyond));
}

}  // namespace

void bcast_by_leader_lines(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin(near::lines_for(j.bytes), true);
  const speakers who(*work.far, j.root);
  if (h.rank() == who.here()) {
    const piece_list whole(j.bytes, 1, node_segment::slot_bytes);
    bcast_source source(h, j, who, work.far->tree_from(who.root_node, tree_shape::binomial), whole);
    source.pass_on(0);
    h.post(j.out, j.bytes);
    source.finish();
  } else {
    h.collect(who.here(), j.out, j.bytes);
  }
  h.leave();
}

void reduce_by_leader_lines(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin(near::lines_for(j.bytes), true);
  const speakers who(*work.far, j.root);
  if (h.rank() == who.here()) {
    const piece_list whole(j.count, j.op.element_bytes(), node_segment::slot_bytes);
    reduce_sink sink(work, j, who, reduction_tree(who, j, tree_shape::binomial), whole);
    combine_slots(h, j, 0, h.size() - 1, sink.place(0));
    sink.pass_on(0);
    sink.finish();
  } else {
    h.post(j.in, j.bytes);
  }
  h.leave();
}

void bcast_by_leaders(workspace& work, const job& j) {
  node_segment& h = *work.near;
  const index_t piece_bytes = work.cut.unit;
  h.begin();
  const speakers who(*work.far, j.root);
  const piece_list cut(j.bytes, 1, piece_bytes);
  if (h.rank() == who.here()) {
    bcast_source source(h, j, who, work.far->tree_from(who.root_node, bcast_shape(work.far->nodes(), cut.pieces)), cut);
    for (index_t k = 0; k < cut.pieces; ++k) {
      const std::uint64_t at = h.reserve(piece_bytes);
      source.pass_on(k);
      if (h.size() > 1) std::memcpy(h.mine(at, piece_bytes), j.out + cut.offset(k), as_size(cut.bytes(k)));
      h.publish(at + static_cast<std::uint64_t>(piece_bytes));
      h.take(at + static_cast<std::uint64_t>(piece_bytes));
    }
    source.finish();
  } else {
    for (index_t k = 0; k < cut.pieces; ++k) {
      const std::uint64_t at = h.reserve(piece_bytes);
      std::memcpy(j.out + cut.offset(k), h.theirs(who.here(), at, piece_bytes), as_size(cut.bytes(k)));
      h.take(at + static_cast<std::uint64_t>(piece_bytes));
    }
  }
  h.leave();
}

void reduce_by_leaders(workspace& work, const job& j) {
  node_segment& h = *work.near;
  const index_t piece_bytes = work.cut.unit;
  h.begin();
  const speakers who(*work.far, j.root);
  const piece_list cut(j.count, j.op.element_bytes(), piece_bytes);
  if (h.rank() == who.here()) {
    reduce_sink sink(work, j, who, reduction_tree(who, j, tree_shape::chain), cut);
    std::vector<const std::byte*> from(as_size(h.size()));
    for (index_t k = 0; k < cut.pieces; ++k) {
      const std::uint64_t at = h.reserve(piece_bytes);
      for (int r = 0; r < h.size(); ++r)
        from[as_size(r)] = r == h.rank() ? j.in + cut.offset(k) : h.theirs(r, at, piece_bytes);
      std::byte* sum = sink.place(k);
      if (h.size() > 1 || sum != from[0]) j.op.combine_all(sum, from.data(), h.size(), cut.elements(k));
      h.take(at + static_cast<std::uint64_t>(piece_bytes));
      sink.pass_on(k);
    }
    sink.finish();
  } else {
    for (index_t k = 0; k < cut.pieces; ++k) {
      const std::uint64_t at = h.reserve(piece_bytes);
      std::memcpy(h.mine(at, piece_bytes), j.in + cut.offset(k), as_size(cut.bytes(k)));
      h.publish(at + static_cast<std::uint64_t>(piece_bytes));
      h.take(at + static_cast<std::uint64_t>(piece_bytes));
    }
  }
  h.leave();
}

}  // namespace nearfar::collective
