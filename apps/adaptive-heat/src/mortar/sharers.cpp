// SPDX-License-Identifier: BSD-3-Clause
// Questions are sorted by the point they are about; along the points the ghosts of each rank are counted.
#include <mortar/sharers.hpp>

namespace adaptive_heat {

void asker_copies::find(std::span<const asked_entity> asked, std::span<const std::size_t> first,
                        std::span<const std::int64_t> next, std::int64_t shared_points) {
  at_.assign(static_cast<std::size_t>(shared_points) + 2, 0);
  for (const asked_entity& a : asked) ++at_[static_cast<std::size_t>(a.point) + 2];
  for (std::size_t p = 2; p < at_.size(); ++p) at_[p] += at_[p - 1];
  order_.resize(asked.size()), copy_.resize(asked.size());
  point_.clear();
  std::vector<std::int32_t> rank_of(asked.size());
  for (std::size_t i = 0; i + 1 < first.size(); ++i)
    for (std::size_t k = first[i]; k < first[i + 1]; ++k) {
      const std::int32_t point = asked[k].point;
      point_.push_back(point);
      rank_of[k] = static_cast<std::int32_t>(i);
      order_[static_cast<std::size_t>(at_[static_cast<std::size_t>(point) + 1]++)] = static_cast<std::int32_t>(k);
    }
  std::vector<std::int64_t> copy(next.begin(), next.end());
  for (const std::int32_t o : order_) {
    const auto k = static_cast<std::size_t>(o);
    copy_[k] = copy[static_cast<std::size_t>(rank_of[k])];
    copy[static_cast<std::size_t>(rank_of[k])] += asked[k].points;
  }
}

void asker_copies::add_others_of(std::size_t k, std::vector<std::uint64_t>& list) const {
  for (const std::int32_t other : asking(point_[k]))
    if (static_cast<std::size_t>(other) != k)
      list.push_back(static_cast<std::uint64_t>(copy_[static_cast<std::size_t>(other)]));
}

void asker_copies::add_all(sharer_lists& lists) const {
  for (std::size_t i = 0; i < order_.size();) {
    const std::size_t here = asking(point_[static_cast<std::size_t>(order_[i])]).size();
    for (const std::size_t end = i + here; i < end; ++i)
      lists.others.push_back(copy_[static_cast<std::size_t>(order_[i])]);
    lists.close();
  }
}

}  // namespace adaptive_heat
