// SPDX-License-Identifier: BSD-3-Clause
// The phases of a vector's way between the nodes.
#include "inter_node_reduction.hpp"

#include <algorithm>

namespace nearfar::collective {

namespace {
constexpr index_t most_doubling_bytes = 8 << 10;  // with three nodes and more
constexpr int result_channel = 1;
}  // namespace

index_t scratch_for_inter_node_reduction(const inter_node& between, index_t count, index_t element_bytes) {
  return (count + between.nodes()) * element_bytes;
}

void inter_node_reduction::start(const inter_node& between, int lane, const reduction::reducer& op, std::byte* data,
                                 std::byte* scratch, index_t count) {
  between_ = &between;
  op_ = &op;
  data_ = data;
  scratch_ = scratch;
  count_ = count;
  element_ = op.element_bytes();
  lane_ = lane;
  per_node_ = (count + between.nodes() - 1) / between.nodes();
  is_doubling_ = between.nodes() == 2 || count * element_ <= most_doubling_bytes;
  phases_ = is_doubling_ ? static_cast<int>(between.doubling().size()) : 2;
  phase_ = 0;
  begin_phase();
}

bool inter_node_reduction::advance(int limit) {
  while (phase_ != any_phase) {
    if (!are_over(requests_)) return false;
    if (phase_ + 1 < phases_ && phase_ + 1 > limit) return false;
    end_phase();
    requests_.clear();
    if (++phase_ == phases_)
      phase_ = any_phase;
    else
      begin_phase();
  }
  return true;
}

void inter_node_reduction::begin_phase() {
  if (is_doubling_)
    begin_exchange(between_->doubling()[as_size(phase_)]);
  else if (phase_ == 0)
    send_parts();
  else
    send_results();
}

void inter_node_reduction::end_phase() {
  if (is_doubling_)
    end_exchange(between_->doubling()[as_size(phase_)]);
  else if (phase_ == 0)
    combine_parts();
}

void inter_node_reduction::begin_exchange(const doubling_stage& stage) {
  const int peer = between_->rank_of(stage.peer, lane_);
  const index_t bytes = count_ * element_;
  if (stage.receives) requests_.push_back(between_->receive(stage.is_final ? data_ : scratch_, bytes, peer));
  if (stage.sends) requests_.push_back(between_->send(data_, bytes, peer));
}

void inter_node_reduction::end_exchange(const doubling_stage& stage) {
  if (!stage.receives || stage.is_final || count_ == 0) return;
  if (stage.peer < between_->node())
    op_->combine(data_, scratch_, data_, count_);
  else
    op_->combine(data_, data_, scratch_, count_);
}

void inter_node_reduction::send_parts() {
  const int own = between_->node();
  for (int i = 1; i < between_->nodes(); ++i) {
    const int node = (own + i) % between_->nodes(), peer = between_->rank_of(node, lane_);
    if (count_of(own) > 0) requests_.push_back(between_->receive(part_from(node), count_of(own) * element_, peer));
    if (count_of(node) > 0)
      requests_.push_back(between_->send(data_ + first_of(node) * element_, count_of(node) * element_, peer));
  }
}

void inter_node_reduction::combine_parts() {
  const int own = between_->node();
  if (count_of(own) == 0) return;
  std::byte* mine = data_ + first_of(own) * element_;
  parts_.resize(as_size(between_->nodes()));
  for (int node = 0; node < between_->nodes(); ++node) parts_[as_size(node)] = node == own ? mine : part_from(node);
  op_->combine_all(mine, parts_.data(), between_->nodes(), count_of(own));
}

void inter_node_reduction::send_results() {
  const int own = between_->node();
  for (int i = 1; i < between_->nodes(); ++i) {
    const int node = (own + i) % between_->nodes(), peer = between_->rank_of(node, lane_);
    if (count_of(node) > 0)
      requests_.push_back(
          between_->receive(data_ + first_of(node) * element_, count_of(node) * element_, peer, result_channel));
    if (count_of(own) > 0)
      requests_.push_back(
          between_->send(data_ + first_of(own) * element_, count_of(own) * element_, peer, result_channel));
  }
}

void reduce_between_nodes(node_segment& h, const inter_node& between, int lane, const reduction::reducer& op,
                          std::byte* data, std::byte* scratch, index_t count) {
  inter_node_reduction reduction;
  reduction.start(between, lane, op, data, scratch, count);
  if (!reduction.advance()) h.wait_in_mpi([&] { return reduction.advance(); });
}

}  // namespace nearfar::collective
