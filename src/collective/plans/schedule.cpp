// SPDX-License-Identifier: BSD-3-Clause
// How each kind of call is made of contributions, combinations and copies.
#include "schedule.hpp"

#include <algorithm>
#include <base/internals.hpp>
#include <topology/team_state.hpp>

#include "../normal_blocks.hpp"
#include "../types.hpp"

namespace nearfar::collective {

namespace {

constexpr index_t all_combine_all_bytes =
    4096;  // of all contributions to one result: below, slices cost more than they save
constexpr index_t lanes_from_bytes = 16 << 10;  // between nodes: below, one message per node is enough
constexpr index_t largest_element = 4096;

// Where each rank's block lies in one side's buffer.
class blocks {
 public:
  blocks(const side& s, bool has_lists) : side_(s), has_lists_(has_lists), element_(contiguous_bytes(s.type)) {}
  bool are_contiguous(int ranks) const {
    if (side_.types == nullptr) return element_ > 0;
    for (int r = 0; r < ranks; ++r)
      if (contiguous_bytes(side_.types[r]) <= 0) return false;
    return true;
  }
  index_t bytes(int r) const {
    if (side_.types != nullptr) return side_.counts[r] * contiguous_bytes(side_.types[r]);
    return (has_lists_ ? side_.counts[r] : side_.count) * element_;
  }
  index_t offset(int r) const {
    if (!has_lists_) return r * side_.count * element_;
    return side_.displs[r] * (side_.types != nullptr ? 1 : element_);
  }
  std::byte* at(int r) const { return bytes_of(side_.data) + offset(r); }
  index_t whole() const { return side_.count * element_; }

 private:
  const side& side_;
  bool has_lists_;
  index_t element_;
};

class schedule_builder {
 public:
  schedule_builder(const call& c, const team& members, const setting& around, int root_node, int root_near_rank)
      : c_(c), around_(around), members_(state_of(members)), root_node_(root_node), root_(root_near_rank) {
    me_ = members_.near_rank;
    ranks_ = members_.near_size;
    made_.packed_offset.assign(as_size(ranks_), 0);
    made_.plain_offset.assign(as_size(ranks_), 0);
  }

  std::optional<schedule> make() {
    const bool is_far = around_.nodes > 1;
    if (is_far && !around_.are_nodes_equal) return std::nullopt;
    bool is_served = true;
    switch (c_.what) {
      case kind::barrier:
        make_barrier();
        break;
      case kind::bcast:
        is_served = make_bcast();
        break;
      case kind::allreduce:
      case kind::reduce:
        is_served = make_reduction();
        break;
      case kind::scan:
      case kind::exscan:
      case kind::reduce_scatter:
      case kind::reduce_scatter_block:
        is_served = !is_far && make_reduction();
        break;
      default:
        is_served = !is_far && make_movement();
    }
    return is_served ? std::optional(std::move(made_)) : std::nullopt;
  }

 private:
  bool is_root() const { return members_.node == root_node_ && me_ == root_; }

  void make_barrier() {
    if (around_.nodes > 1) {
      if (me_ == 0) {
        made_.far = schedule::far_step::barrier;
        made_.sum = {0, ranks_ - 1, 0, 0, nullptr, true, false};
      }
      made_.copies.push_back({0, true, nullptr, 0});
      return;
    }
    for (int i = 1; i < ranks_; ++i) made_.copies.push_back({(me_ + i) % ranks_, false, nullptr, 0});
  }

  bool make_bcast() {
    const index_t element = contiguous_bytes(c_.receive.type);
    if (element <= 0) return false;
    const index_t bytes = element * c_.receive.count;
    std::byte* data = bytes_of(c_.receive.data);
    made_.input = is_root() ? data : nullptr;
    if (around_.nodes == 1) {
      if (is_root()) contribute(data, bytes);
      if (!is_root()) made_.copies.push_back({root_, false, data, bytes});
      made_.can_read_in_place = true;
      return true;
    }
    if (me_ == root_) {
      made_.far = schedule::far_step::bcast;
      made_.far_root = root_node_;
      made_.is_far_source = is_root();
      made_.result_bytes = bytes;
      made_.sum = {0, -1, 0, 0, is_root() ? nullptr : data, true, false};
    } else {
      made_.copies.push_back({root_, true, data, bytes});
    }
    return true;
  }

  void contribute(const std::byte* from, index_t bytes) { made_.pieces.push_back({from, bytes}); }

  bool make_reduction() {
    made_.op = reduction::reducer::of(c_.op, c_.receive.type);
    const auto& op = made_.op;
    if (!op.is_valid() || !op.is_dense() || op.element_bytes() <= 0 || op.element_bytes() > largest_element)
      return false;
    if (around_.nodes > 1 && !op.is_commutative() && !around_.is_order_by_node) return false;
    const bool is_scatter = c_.what == kind::reduce_scatter || c_.what == kind::reduce_scatter_block;
    index_t count = c_.receive.count;
    if (c_.what == kind::reduce_scatter_block) count *= ranks_;
    if (c_.what == kind::reduce_scatter) {
      count = 0;
      for (int r = 0; r < ranks_; ++r) count += c_.receive.counts[r];
    }
    element_ = op.element_bytes();
    in_ = is_in_place(c_.send) ? bytes_of(c_.receive.data) : bytes_of(c_.send.data);
    made_.input = in_;
    made_.output = bytes_of(c_.receive.data);
    contribute(in_, count * element_);
    if (c_.what == kind::reduce) return make_rooted(count);
    if (c_.what == kind::allreduce) return make_allreduce(count);
    if (is_scatter) return make_scattered();
    const int last = me_ - (c_.what == kind::exscan ? 1 : 0);
    made_.sum = {0, last, 0, last < 0 ? 0 : count, made_.output, false, false};
    made_.can_read_in_place = !is_in_place(c_.send);
    return true;
  }

  bool make_rooted(index_t count) {
    made_.can_read_in_place = around_.nodes == 1;
    if (me_ != root_) return true;
    made_.pieces.clear();
    made_.sum = {0, ranks_ - 1, 0, count, is_root() ? made_.output : nullptr, around_.nodes > 1, false};
    if (around_.nodes == 1) return true;
    made_.far = schedule::far_step::reduce;
    made_.far_root = root_node_;
    made_.result_bytes = count * element_;
    return true;
  }

  bool make_scattered() {
    index_t first = 0;
    for (int r = 0; r < me_; ++r) first += c_.what == kind::reduce_scatter ? c_.receive.counts[r] : c_.receive.count;
    const index_t own = c_.what == kind::reduce_scatter ? c_.receive.counts[me_] : c_.receive.count;
    made_.sum = {0, ranks_ - 1, first * element_, own, made_.output, false, is_in_place(c_.send)};
    made_.can_read_in_place = !is_in_place(c_.send);
    return true;
  }

  // Slices of the vector are combined by their owners; all owners are near ranks 0 … owners-1.
  bool make_allreduce(index_t count) {
    const index_t bytes = count * element_;
    const bool is_far = around_.nodes > 1;
    made_.can_read_in_place = !is_far;
    if (!is_far && bytes * ranks_ <= all_combine_all_bytes) {
      made_.sum = {0, ranks_ - 1, 0, count, made_.output, false, false};
      made_.can_read_in_place = !is_in_place(c_.send);
      return true;
    }
    const int owners = is_far && bytes < lanes_from_bytes ? 1 : ranks_;
    const index_t fair = (count + owners - 1) / owners;
    const auto first = [&](int r) { return std::min(count, r * fair); };
    for (int i = 1; i <= ranks_; ++i) {
      const int r = (me_ + i) % ranks_;
      const index_t offset = first(r) * element_, length = (first(r + 1) - first(r)) * element_;
      if (r < owners && r != me_ && length > 0)
        made_.copies.push_back({r, true, made_.output + offset, length, offset});
    }
    if (me_ >= owners || first(me_ + 1) == first(me_)) return true;
    const index_t own = first(me_ + 1) - first(me_);
    made_.sum = {0, ranks_ - 1, first(me_) * element_, own, made_.output + first(me_) * element_, true, false};
    made_.result_bytes = own * element_;
    if (is_far) made_.far = schedule::far_step::allreduce;
    return true;
  }

  // The v and w forms and the plain ones differ only in where blocks lie.
  bool make_movement() {
    const bool has_lists = !has_equal_blocks(c_.what);
    const bool is_exchange = c_.what == kind::alltoall || c_.what == kind::alltoallv || c_.what == kind::alltoallw;
    const bool is_gather = c_.what == kind::gather || c_.what == kind::gatherv;
    const bool is_scatter = c_.what == kind::scatter || c_.what == kind::scatterv;
    const bool is_both = is_in_place(c_.send);
    const blocks in(c_.send, has_lists && (is_exchange || is_scatter)), out(c_.receive, has_lists && !is_scatter);
    const bool sends = !is_scatter || is_root(), receives = !is_gather || is_root();
    if (sends && !is_both && !in.are_contiguous(ranks_)) return false;
    if (receives && !is_in_place(c_.receive) && !out.are_contiguous(ranks_)) return false;
    made_.can_read_in_place = !(is_exchange && is_both);
    if (is_exchange || (is_scatter && is_root()))
      contribute_blocks(is_both ? out : in);
    else if (!is_scatter && !(is_gather && is_root()))
      contribute_own(is_both ? out.at(me_) : bytes_of(c_.send.data), is_both ? out.bytes(me_) : in.whole());
    if (is_scatter) {
      if (!is_root()) made_.copies.push_back({root_, false, bytes_of(c_.receive.data), out.whole()});
      if (is_root() && !is_in_place(c_.receive)) copy_own(in.at(me_), in.bytes(me_), bytes_of(c_.receive.data));
      return true;
    }
    if (!receives) return true;
    for (int i = 1; i < ranks_; ++i) {
      const int r = (me_ + i) % ranks_;
      made_.copies.push_back({r, false, out.at(r), out.bytes(r)});
    }
    if (!is_both) copy_own(is_exchange ? in.at(me_) : bytes_of(c_.send.data), out.bytes(me_), out.at(me_));
    return true;
  }

  void contribute_own(const std::byte* from, index_t bytes) {
    contribute(from, bytes);
    made_.input = from;
  }

  void contribute_blocks(const blocks& all) {
    made_.input = all.at(0) - all.offset(0);
    index_t next = 0;
    for (int r = 0; r < ranks_; ++r) {
      made_.plain_offset[as_size(r)] = all.offset(r);
      made_.packed_offset[as_size(r)] = next;
      if (r == me_ || all.bytes(r) == 0) continue;
      contribute(all.at(r), all.bytes(r));
      next += all.bytes(r);
    }
  }

  void copy_own(const std::byte* from, index_t bytes, std::byte* to) {
    if (bytes == 0) return;
    made_.own_copies.push_back({from, bytes});
    made_.own_targets.push_back(to);
  }

  const call& c_;
  const setting& around_;
  const team_state& members_;
  int root_node_, root_, me_, ranks_;
  index_t element_ = 1;
  std::byte* in_ = nullptr;
  schedule made_;
};

}  // namespace

index_t contiguous_bytes(MPI_Datatype type) {
  type_shape shape;
  return find_shape(type, shape) && shape.is_dense ? shape.size : -1;
}

index_t schedule::slot_bytes() const {
  index_t bytes = 0;
  for (const piece& p : pieces) bytes += p.bytes;
  return bytes + result_space();
}

std::optional<schedule> make_schedule(const call& c, const team& members, const setting& around, int root_node,
                                      int root_near_rank) {
  return schedule_builder(c, members, around, root_node, root_near_rank).make();
}

}  // namespace nearfar::collective
