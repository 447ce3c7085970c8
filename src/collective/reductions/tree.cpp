// SPDX-License-Identifier: BSD-3-Clause
// Two levels: p ranks read about 2 sqrt(p) slots instead of p.
#include "tree.hpp"

#include <algorithm>
#include <base/internals.hpp>
#include <cmath>
#include <cstring>
#include <topology/team_state.hpp>

namespace nearfar::collective {

namespace {

constexpr index_t sum_line = node_segment::slot_lines / 2;

// Groups of consecutive near ranks, by their first ranks.
class grouping {
 public:
  explicit grouping(const node_segment& h) : caches_(state_of(h.team()).cache_groups), ranks_(h.size()) {
    width_ = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(ranks_))));
    is_by_cache_ = caches_.size() > 1 && static_cast<int>(caches_.size()) <= ranks_ / 2;
  }
  int count() const { return is_by_cache_ ? static_cast<int>(caches_.size()) : (ranks_ + width_ - 1) / width_; }
  int first(int group) const {
    if (group >= count()) return ranks_;
    return is_by_cache_ ? caches_[as_size(group)] : group * width_;
  }
  int of(int rank) const {
    if (!is_by_cache_) return rank / width_;
    return static_cast<int>(std::upper_bound(caches_.begin(), caches_.end(), rank) - caches_.begin()) - 1;
  }

 private:
  const std::vector<int>& caches_;
  int ranks_, width_ = 1;
  bool is_by_cache_ = false;
};

struct alignas(64) buffer {
  std::byte bytes[tree_bytes + 64];
};

}  // namespace

void allreduce_by_tree(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  const grouping groups(h);
  const int own = groups.of(h.rank());
  const bool is_first = groups.first(own) == h.rank();
  buffer sum, next;
  if (is_first) {
    std::memcpy(sum.bytes, j.in, as_size(j.bytes));
    for (int r = h.rank() + 1; r < groups.first(own + 1); ++r) {
      h.collect(r, next.bytes, j.bytes);
      j.op.combine(sum.bytes, sum.bytes, next.bytes, j.count);
    }
    h.post(sum.bytes, j.bytes, sum_line);
  } else {
    h.post(j.in, j.bytes);
  }
  // A group's first rank reads its own sum back, too, so that all combine the same numbers in the same order.
  for (int g = 0; g < groups.count(); ++g) {
    std::byte* to = g == 0 ? sum.bytes : next.bytes;
    h.collect(groups.first(g), to, j.bytes, sum_line);
    if (g > 0) j.op.combine(sum.bytes, sum.bytes, next.bytes, j.count);
  }
  std::memcpy(j.out, sum.bytes, as_size(j.bytes));
  h.all_arrived();
}

}  // namespace nearfar::collective
