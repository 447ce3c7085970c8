// SPDX-License-Identifier: BSD-3-Clause
// A scan over nodes by doubling distances, between two passes over the near ranks' contributions.
#include "scan.hpp"

#include "staging_area.hpp"

namespace nearfar::collective {

namespace {

// before = the sums of all nodes before this one (not written on the first), from `sum`, this node's own, which is
// overwritten.
void scan_nodes(workspace& work, const job& j, std::byte* sum, std::byte* before, std::byte* scratch) {
  const inter_node& between = *work.far;
  bool has_before = false;
  for (int distance = 1; distance < between.nodes(); distance *= 2) {
    const int to = between.node() + distance, from = between.node() - distance;
    std::vector<MPI_Request> requests;
    if (from >= 0) requests.push_back(between.receive(scratch, j.bytes, between.rank_of(from, 0)));
    if (to < between.nodes()) requests.push_back(between.send(sum, j.bytes, between.rank_of(to, 0)));
    finish_messages(*work.near, requests);
    if (from < 0) continue;
    j.op.combine(sum, scratch, sum, j.count);
    if (has_before)
      j.op.combine(before, scratch, before, j.count);
    else
      std::memcpy(before, scratch, as_size(j.bytes));
    has_before = true;
  }
}

}  // namespace

void scan_by_leaders(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  staging_area near(h, j.bytes), far(h, j.bytes);
  if (h.size() > 1) near.write(j.in, j.bytes);
  std::vector<const std::byte*> from{nullptr};
  for (int r = 0; r < h.size(); ++r) from.push_back(nullptr);
  const auto collect = [&](int last) {
    for (int r = 0; r <= last; ++r) from[as_size(r) + 1] = r == h.rank() ? j.in : near.theirs(r);
  };
  if (h.rank() == 0) {
    std::byte* sum = work.scratch_of(2 * j.bytes);
    collect(h.size() - 1);
    j.op.combine_all(sum, from.data() + 1, h.size(), j.count);
    scan_nodes(work, j, sum, far.mine(), sum + j.bytes);
    far.publish();
  }
  const int last = h.rank() - (j.what == kind::exscan ? 1 : 0);
  collect(last);
  const bool is_first_node = work.far->node() == 0;
  if (!is_first_node) from[0] = h.rank() == 0 ? far.mine() : far.theirs(0);
  const int parts = last + 1 + (is_first_node ? 0 : 1);
  if (parts > 0 && (parts > 1 || j.in != j.out || j.what == kind::exscan))
    j.op.combine_all(j.out, from.data() + (is_first_node ? 1 : 0), parts, j.count);
  near.leave();
  far.leave();
  h.leave();
}

}  // namespace nearfar::collective
