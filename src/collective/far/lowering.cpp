// SPDX-License-Identifier: BSD-3-Clause
// Steps through the schedules of the algorithms between nodes for one rank, and records its messages.
#include <algorithm>
#include <base/text.hpp>
#include <collective/lowering.hpp>
#include <nearfar/error.hpp>

#include "../choice.hpp"
#include "allreduce.hpp"
#include "blocks.hpp"
#include "cutting.hpp"
#include "inter_node_reduction.hpp"
#include "pair_exchange.hpp"
#include "pairs.hpp"
#include "rooted.hpp"

namespace nearfar::collective {

namespace {

/// Where the rank is, and what it has to say so far.
class recorder {
 public:
  recorder(const node_shape& shape, int rank)
      : shape_(shape),
        node_(shape.node_of(rank)),
        near_rank_(rank - shape.first_of(node_)),
        stages_(doubling_stages(shape.nodes(), node_)) {}

  int nodes() const { return shape_.nodes(); }
  int node() const { return node_; }
  int near_rank() const { return near_rank_; }
  int near_size() const { return shape_.size_of(node_); }
  int near_size(int node) const { return shape_.size_of(node); }
  int lanes() const { return std::min(shape_.size_of(nodes() - 1), inter_node::most_lanes); }

  void add(int node, int near_rank, index_t bytes, bool is_send) {
    all_.push_back({shape_.first_of(node) + near_rank, bytes, step_, is_send, piece_});
  }
  void next_step() { ++step_; }
  void begin_piece(index_t piece) { piece_ = piece; }

  void reduce_between_nodes(int lane, index_t count, index_t element_bytes) {
    const inter_node_parts parts{nodes(), node_, count, element_bytes, stages_};
    for (int phase = 0; phase < parts.phases(); ++phase, next_step())
      parts.for_messages(
          phase, [&](int peer, index_t, index_t n) { add(peer, lane, n * element_bytes, false); },
          [&](int peer, index_t, index_t n) { add(peer, lane, n * element_bytes, true); });
  }

  /// Pieces go along the tree, to the root or from it.
  void pass_along(const tree& branches, const piece_list& cut, bool is_from_root) {
    for (index_t k = 0; k < cut.pieces; ++k) {
      begin_piece(k);
      const auto with_parent = [&] {
        if (branches.parent >= 0) add(branches.parent, 0, cut.bytes(k), !is_from_root);
        next_step();
      };
      const auto with_children = [&] {
        for (const int child : branches.children) add(child, 0, cut.bytes(k), is_from_root);
        next_step();
      };
      if (is_from_root) with_parent(), with_children();
      if (!is_from_root) with_children(), with_parent();
    }
  }
  tree tree_from_first(tree_shape shape) const { return make_tree(nodes(), node_, 0, shape); }

  std::vector<step_message> take() { return std::move(all_); }

 private:
  node_shape shape_;
  int node_, near_rank_, step_ = 0;
  index_t piece_ = 0;
  std::vector<doubling_stage> stages_;
  std::vector<step_message> all_;
};

void allreduce(recorder& r, const modelled_call& c, int owners, index_t group_bytes) {
  const cutting cut(c.bytes, c.element_bytes, owners, group_bytes);
  for (index_t g = 0; g < cut.groups && r.near_rank() < owners; ++g) {
    r.begin_piece(g);
    r.reduce_between_nodes(r.near_rank(), cut.in_group(g, r.near_rank()), c.element_bytes);
  }
}

void bcast(recorder& r, const modelled_call& c, index_t piece_bytes) {
  const piece_list cut(c.bytes, 1, piece_bytes);
  if (r.near_rank() == 0) r.pass_along(r.tree_from_first(bcast_shape(r.nodes(), cut.pieces)), cut, true);
}

void reduce(recorder& r, const modelled_call& c, index_t piece_bytes, tree_shape beyond) {
  const piece_list cut(c.bytes / c.element_bytes, c.element_bytes, piece_bytes);
  if (r.near_rank() == 0) r.pass_along(r.tree_from_first(reduction_shape(r.nodes(), true, beyond)), cut, false);
}

void allgather(recorder& r, const modelled_call& c) {
  for (int i = 1; i < r.nodes(); ++i) {
    const int node = (r.node() + i) % r.nodes();
    r.add(node, near_receiver(r.near_rank(), r.near_size(node)), c.bytes, true);
    for (int q = 0; q < r.near_size(node); ++q)
      if (near_receiver(q, r.near_size()) == r.near_rank()) r.add(node, q, c.bytes, false);
  }
}

void alltoall(recorder& r, const modelled_call& c) {
  for (int node = 0; node < r.nodes(); ++node) {
    if (node == r.node() || near_speaker(node, r.near_size()) != r.near_rank()) continue;
    const index_t bytes = index_t{r.near_size()} * r.near_size(node) * c.bytes;
    const int peer = near_speaker(r.node(), r.near_size(node));
    r.add(node, peer, bytes, true), r.add(node, peer, bytes, false);
  }
}

// What an algorithm sends, by the function that carries it out; `unit` is that of its cut.
struct lowered {
  kind what;
  void (*body)(workspace&, const job&);
  void (*record)(recorder&, const modelled_call&, index_t unit);
};

constexpr lowered table[] = {
    {kind::barrier, barrier_by_leaders,
     [](recorder& r, const modelled_call&, index_t) {
       if (r.near_rank() == 0) r.reduce_between_nodes(0, 0, 1);
     }},
    {kind::allreduce, allreduce_by_leader_lines,
     [](recorder& r, const modelled_call& c, index_t) {
       if (r.near_rank() == 0) r.reduce_between_nodes(0, c.bytes / c.element_bytes, c.element_bytes);
     }},
    {kind::allreduce, allreduce_by_lane_lines,
     [](recorder& r, const modelled_call& c, index_t) {
       r.reduce_between_nodes(r.near_rank(), c.bytes / c.element_bytes, c.element_bytes);
     }},
    {kind::allreduce, allreduce_by_leaders,
     [](recorder& r, const modelled_call& c, index_t unit) { allreduce(r, c, 1, unit); }},
    {kind::allreduce, allreduce_by_lanes,
     [](recorder& r, const modelled_call& c, index_t unit) { allreduce(r, c, r.lanes(), unit); }},
    {kind::bcast, bcast_by_leader_lines,
     [](recorder& r, const modelled_call& c, index_t) { bcast(r, c, node_segment::slot_bytes); }},
    {kind::bcast, bcast_by_leaders, [](recorder& r, const modelled_call& c, index_t unit) { bcast(r, c, unit); }},
    {kind::reduce, reduce_by_leader_lines,
     [](recorder& r, const modelled_call& c, index_t) {
       reduce(r, c, node_segment::slot_bytes, tree_shape::binomial);
     }},
    {kind::reduce, reduce_by_leaders,
     [](recorder& r, const modelled_call& c, index_t unit) { reduce(r, c, unit, tree_shape::chain); }},
    {kind::allgather, allgather_by_lanes, [](recorder& r, const modelled_call& c, index_t) { allgather(r, c); }},
    {kind::alltoall, alltoall_by_pairs, [](recorder& r, const modelled_call& c, index_t) { alltoall(r, c); }},
};

const lowered* find(const algorithm* a) {
  for (const lowered& l : table)
    if (a != nullptr && l.what == a->what && l.body == a->body) return &l;
  return nullptr;
}

}  // namespace

setting setting_of(const node_shape& shape, const modelled_call& call) {
  setting s;
  s.ranks = shape.ranks, s.nodes = shape.nodes(), s.near_ranks = shape.size_of(0);
  s.are_nodes_equal = shape.size_of(shape.nodes() - 1) == s.near_ranks;
  s.bytes = call.bytes;
  return s;
}

std::string default_method(const node_shape& shape, const modelled_call& call) {
  const algorithm* a = default_algorithm(call.what, setting_of(shape, call));
  return a == nullptr ? "mpi" : a->name;
}

bool is_lowered(kind what, const std::string& method) { return find(find_algorithm(what, method)) != nullptr; }

std::vector<step_message> messages_of(const node_shape& shape, int rank, const modelled_call& call,
                                      const std::string& method) {
  if (shape.nodes() == 1) return {};
  const algorithm* a = find_algorithm(call.what, method);
  const lowered* how = find(a);
  if (how == nullptr)
    throw usage_error(text("messages of ", name_of(call.what), " by '", method, "' are not modelled"));
  if (!a->serves(setting_of(shape, call)))
    throw usage_error(text("'", method, "' does not serve ", name_of(call.what), " of ", call.bytes, " bytes on ",
                           shape.nodes(), " nodes of ", shape.per_node, " ranks"));
  recorder r(shape, rank);
  how->record(r, call, a->cut.unit);
  return r.take();
}

}  // namespace nearfar::collective
