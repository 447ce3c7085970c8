// SPDX-License-Identifier: BSD-3-Clause
// The phases of an inter-node reduction.
#include "inter_node_reduction.hpp"

namespace nearfar::collective {

namespace {
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
  lane_ = lane;
  parts_ = {between.nodes(), between.node(), count, op.element_bytes(), between.doubling()};
  phase_ = 0;
  begin_phase();
}

bool inter_node_reduction::advance(int limit) {
  while (phase_ != any_phase) {
    if (!are_over(requests_)) return false;
    if (phase_ + 1 < parts_.phases() && phase_ + 1 > limit) return false;
    end_phase();
    requests_.clear();
    if (++phase_ == parts_.phases())
      phase_ = any_phase;
    else
      begin_phase();
  }
  return true;
}

void inter_node_reduction::begin_phase() {
  const int channel = !parts_.is_doubling() && phase_ == 1 ? result_channel : 0;
  const index_t element = parts_.element_bytes;
  parts_.for_messages(
      phase_,
      [&](int peer, index_t first, index_t count) {
        const int rank = between_->rank_of(peer, lane_);
        requests_.push_back(between_->receive(place_of(peer, first), count * element, rank, channel));
      },
      [&](int peer, index_t first, index_t count) {
        const int rank = between_->rank_of(peer, lane_);
        requests_.push_back(between_->send(data_ + first * element, count * element, rank, channel));
      });
}

std::byte* inter_node_reduction::place_of(int peer, index_t first) const noexcept {
  if (parts_.is_doubling()) return parts_.doubling[as_size(phase_)].is_final ? data_ : scratch_;
  return phase_ == 0 ? part_from(peer) : data_ + first * parts_.element_bytes;
}

void inter_node_reduction::end_phase() {
  if (parts_.is_doubling())
    end_exchange(parts_.doubling[as_size(phase_)]);
  else if (phase_ == 0)
    combine_parts();
}

void inter_node_reduction::end_exchange(const doubling_stage& stage) {
  if (!stage.receives || stage.is_final || parts_.count == 0) return;
  if (stage.peer < parts_.node)
    op_->combine(data_, scratch_, data_, parts_.count);
  else
    op_->combine(data_, data_, scratch_, parts_.count);
}

void inter_node_reduction::combine_parts() {
  const int own = parts_.node;
  if (parts_.count_of(own) == 0) return;
  std::byte* mine = data_ + parts_.first_of(own) * parts_.element_bytes;
  from_.resize(as_size(parts_.nodes));
  for (int node = 0; node < parts_.nodes; ++node) from_[as_size(node)] = node == own ? mine : part_from(node);
  op_->combine_all(mine, from_.data(), parts_.nodes, parts_.count_of(own));
}

void reduce_between_nodes(node_segment& h, const inter_node& between, int lane, const reduction::reducer& op,
                          std::byte* data, std::byte* scratch, index_t count) {
  inter_node_reduction reduction;
  reduction.start(between, lane, op, data, scratch, count);
  if (!reduction.advance()) h.wait_in_mpi([&] { return reduction.advance(); });
}

}  // namespace nearfar::collective
