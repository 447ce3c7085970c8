// SPDX-License-Identifier: BSD-3-Clause
// Elements come by ascending rank, so that a point's ranks are found in order, each next to its repetitions.
#include <algorithm>
#include <mortar/element_points.hpp>
#include <mortar/rank_loads.hpp>
#include <utility>

namespace adaptive_heat {
namespace {

/// Ranks that refer to each point, as a linked list per point: the last one found first.
class point_ranks {
 public:
  explicit point_ranks(std::int64_t points) : last_(static_cast<std::size_t>(points), -1) {}
  void add(std::int32_t point, int rank) {
    std::int32_t& last = last_[static_cast<std::size_t>(point)];
    if (last >= 0 && links_[static_cast<std::size_t>(last)].rank == rank) return;
    links_.push_back({rank, last});
    last = static_cast<std::int32_t>(links_.size()) - 1;
  }
  /// Calls visit(ranks) for each point of several ranks.
  template <class Visit>
  void for_shared(Visit&& visit) const {
    std::vector<int> ranks;
    for (const std::int32_t last : last_) {
      ranks.clear();
      for (std::int32_t at = last; at >= 0; at = links_[static_cast<std::size_t>(at)].before)
        ranks.push_back(links_[static_cast<std::size_t>(at)].rank);
      if (ranks.size() > 1) visit(ranks);
    }
  }

 private:
  struct link {
    int rank;
    std::int32_t before;
  };
  std::vector<std::int32_t> last_;
  std::vector<link> links_;
};

}  // namespace

std::vector<rank_load> loads_of(const mortar_layout& layout, std::span<const leaf_shape> shapes, int ranks) {
  std::vector<rank_load> loads(static_cast<std::size_t>(ranks));
  point_ranks found(layout.total());
  const auto parts = static_cast<std::size_t>(ranks);
  for (std::size_t r = 0; r < parts; ++r)
    for (std::size_t n = r * shapes.size() / parts; n < (r + 1) * shapes.size() / parts; ++n) {
      ++loads[r].elements;
      for_points_of(layout, shapes[n], n, [&](std::int32_t p) { found.add(p, static_cast<int>(r)); });
    }
  std::vector<std::pair<int, int>> pairs;
  found.for_shared([&](const std::vector<int>& sharers) {
    for (const int r : sharers) {
      loads[static_cast<std::size_t>(r)].values += static_cast<std::int64_t>(sharers.size()) - 1;
      for (const int s : sharers)
        if (s != r) pairs.emplace_back(r, s);
    }
  });
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  for (const auto& [r, s] : pairs) ++loads[static_cast<std::size_t>(r)].partners;
  return loads;
}

}  // namespace adaptive_heat
