// SPDX-License-Identifier: BSD-3-Clause
// Allreduce by lanes or leaders, in pieces k through the rings; owner o is near rank o (leaders: rank 0 alone):
//
//   contribute(k)  every rank copies piece k, all slices but its own, into its ring
//   combine(k)     owner o combines slice o of piece k of all near ranks; after the last piece of a group it starts the
//                  reduction of this slice over its lane
//   finish(k)      owner o copies slice o of the result into its ring, when the group's reduction is complete
//   spread(k)      every rank copies all slices of piece k from the owners' rings
//
// spread and finish run `delay_` pieces behind contribute, so that one group crosses the network while the next is
// combined. Each step uses one unit of every ring: contributions in front, results behind. All ranks pass the same
// units in the same order, so a unit is free for reuse when all have taken it (node_segment).
#include "allreduce.hpp"

#include <algorithm>
#include <cstring>

#include "../reductions/lines.hpp"
#include "cutting.hpp"
#include "inter_node_reduction.hpp"

namespace nearfar::collective {

namespace {

constexpr int most_reductions = 2;

class lane_run {
 public:
  lane_run(workspace& work, const job& j, int owners)
      : h_(*work.near),
        between_(*work.far),
        j_(j),
        cut_(j.bytes, j.op.element_bytes(), owners, work.cut.unit),
        owners_(owners),
        how_(work.cut.how) {
    const bool overlaps = cut_.groups > 1;
    delay_ = (overlaps ? 2 : 1) * cut_.pieces_of_group - 1;
    is_owner_ = h_.rank() < owners;
    if (!is_owner_) return;
    scratch_each_ = scratch_for_inter_node_reduction(between_, cut_.in_group(0, 0), cut_.element);
    scratch_ = work.scratch_of(scratch_each_ * (overlaps ? 2 : 1));
    from_.resize(as_size(h_.size()));
  }

  void run() {
    h_.begin();
    std::uint64_t before = 0;
    const index_t pieces = cut_.pieces();
    for (index_t k = 0; k < pieces + delay_; ++k) {
      const std::uint64_t now = h_.reserve(cut_.unit);
      if (k < pieces) {
        contribute(k, now);
        if (is_owner_) combine(k, now);
      }
      if (k > 0) spread(k - 1 - delay_, before);
      if (k >= delay_ && is_owner_) finish(k - delay_, result_in(now));
      before = now;
    }
    spread(pieces - 1, before);
    h_.all_arrived();
  }

 private:
  index_t offset(index_t k, int slice) const { return cut_.first(k, slice) * cut_.element; }
  index_t bytes(index_t k, int slice) const { return cut_.elements(k, slice) * cut_.element; }
  std::uint64_t result_in(std::uint64_t unit) const { return unit + static_cast<std::uint64_t>(cut_.wide); }
  inter_node_reduction& reduction_of(index_t group) { return reductions_[as_size(group % most_reductions)]; }

  // All but the own slice, which nobody else reads.
  void contribute(index_t k, std::uint64_t at) {
    std::byte* to = h_.mine(at, cut_.wide);
    for (int slice = 0; slice < owners_; ++slice)
      if (slice != h_.rank()) near::copy(how_, to + slice * cut_.narrow, j_.in + offset(k, slice), bytes(k, slice));
    near::finish(how_);
    h_.publish(at + static_cast<std::uint64_t>(cut_.wide));
  }

  // Waits for a near rank while the inter-node reductions go on.
  const std::byte* theirs(int from, std::uint64_t at, index_t bytes) {
    const std::uint64_t end = at + static_cast<std::uint64_t>(bytes);
    if (!h_.has_published(from, end))
      h_.wait(from, [&] {
        advance();
        return h_.has_published(from, end);
      });
    return h_.theirs(from, at, bytes);
  }

  // The last piece of a group sends it on its way.
  void combine(index_t k, std::uint64_t at) {
    const int slice = h_.rank();
    for (int r = 0; r < h_.size(); ++r)
      from_[as_size(r)] = r == slice ? j_.in + offset(k, slice) : theirs(r, at, cut_.wide) + slice * cut_.narrow;
    const bool has_work = cut_.elements(k, slice) > 0 && (h_.size() > 1 || j_.in != j_.out);
    if (has_work) j_.op.combine_all(j_.out + offset(k, slice), from_.data(), h_.size(), cut_.elements(k, slice));
    if ((k + 1) % cut_.pieces_of_group == 0) start(k / cut_.pieces_of_group);
    advance();
  }

  void start(index_t group) {
    reduction_of(group).start(between_, h_.rank(), j_.op, j_.out + offset(group * cut_.pieces_of_group, h_.rank()),
                              scratch_ + group % most_reductions * scratch_each_, cut_.in_group(group, h_.rank()));
    latest_ = group;
  }

  void advance() {
    if (latest_ < 0) return;
    int limit = inter_node_reduction::any_phase;
    if (latest_ > 0) {
      reduction_of(latest_ - 1).advance();
      limit = reduction_of(latest_ - 1).phase();
    }
    reduction_of(latest_).advance(limit);
  }

  void finish(index_t k, std::uint64_t at) {
    const auto is_over = [&] {
      advance();
      return reduction_of(k / cut_.pieces_of_group).phase() == inter_node_reduction::any_phase;
    };
    if (!is_over()) h_.wait_in_mpi(is_over);
    near::copy(how_, h_.mine(at, cut_.narrow), j_.out + offset(k, h_.rank()), bytes(k, h_.rank()));
    near::finish(how_);
    h_.publish(at + static_cast<std::uint64_t>(cut_.narrow));
  }

  // Piece k from the others' part of this unit, if there is a result in it; then nothing in the unit is needed any
  // more.
  void spread(index_t k, std::uint64_t unit) {
    for (int i = 1; k >= 0 && i <= owners_; ++i) {
      const int r = (h_.rank() + i) % owners_;
      if (r == h_.rank()) continue;
      const std::byte* from = theirs(r, result_in(unit), cut_.narrow);
      std::memcpy(j_.out + offset(k, r), from, as_size(bytes(k, r)));
    }
    h_.take(unit + static_cast<std::uint64_t>(cut_.unit));
  }

  node_segment& h_;
  const inter_node& between_;
  const job& j_;
  cutting cut_;
  int owners_;
  near::stores how_;
  index_t delay_ = 0;
  bool is_owner_ = false;
  index_t scratch_each_ = 0, latest_ = -1;
  std::byte* scratch_ = nullptr;
  std::vector<const std::byte*> from_;
  inter_node_reduction reductions_[most_reductions];
};

}  // namespace

void barrier_by_leaders(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  if (h.rank() == 0) {
    for (int r = 1; r < h.size(); ++r) h.collect(r, nullptr, 0);
    reduce_between_nodes(h, *work.far, 0, j.op, nullptr, nullptr, 0);
    h.post(nullptr, 0);
  } else {
    h.post(nullptr, 0);
    h.collect(0, nullptr, 0);
  }
  h.all_arrived();
}

void allreduce_by_leader_lines(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  if (h.rank() == 0) {
    combine_slots(h, j, 0, h.size() - 1, j.out);
    std::byte* scratch = work.scratch_of(scratch_for_inter_node_reduction(*work.far, j.count, j.op.element_bytes()));
    reduce_between_nodes(h, *work.far, 0, j.op, j.out, scratch, j.count);
    h.post(j.out, j.bytes);
  } else {
    h.post(j.in, j.bytes);
    h.collect(0, j.out, j.bytes);
  }
  h.all_arrived();
}

void allreduce_by_lane_lines(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  h.post(j.in, j.bytes);
  combine_slots(h, j, 0, h.size() - 1, j.out);
  std::byte* scratch = work.scratch_of(scratch_for_inter_node_reduction(*work.far, j.count, j.op.element_bytes()));
  reduce_between_nodes(h, *work.far, h.rank(), j.op, j.out, scratch, j.count);
  h.all_arrived();
}

void allreduce_by_leaders(workspace& work, const job& j) { lane_run(work, j, 1).run(); }
void allreduce_by_lanes(workspace& work, const job& j) { lane_run(work, j, work.far->lanes()).run(); }

}  // namespace nearfar::collective
