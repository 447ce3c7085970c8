// SPDX-License-Identifier: BSD-3-Clause
// Who else has a copy of the entities that a rank shares: owners know who asked, and tell those who ask of each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace adaptive_heat {

/// Copies of a rank lie in the order of its mortar vectors: own shared points, then ghosts. Copies of all ranks are
/// numbered by rank, then in that order. Lists are per entity: own shared ones, then ghosts.
struct sharer_lists {
  std::vector<std::int32_t> first;   ///< where the entity's others begin in `others`, and the end
  std::vector<std::int64_t> others;  ///< numbers of the first points of the copies at other ranks, by ascending rank
  bool operator==(const sharer_lists&) const = default;

  std::size_t entities() const noexcept { return first.empty() ? 0 : first.size() - 1; }
  std::span<const std::int64_t> of(std::size_t entity) const noexcept {
    const auto begin = static_cast<std::size_t>(first[entity]), end = static_cast<std::size_t>(first[entity + 1]);
    return std::span(others).subspan(begin, end - begin);
  }
  void clear() { first.assign(1, 0), others.clear(); }
  void close() { first.push_back(static_cast<std::int32_t>(others.size())); }  ///< after the others of an entity
};

/// An entity that another rank asked for: its first point among the own shared ones, and how many points it has.
struct asked_entity {
  std::int32_t point, points;
};

/// Numbers of the copies at those who asked. Local; memory is used again.
class asker_copies {
 public:
  /// `asked` lists the entities by rank that asked, ascending, those of the i-th from first[i] on; each rank's ghosts
  /// of this owner lie in the order of `point`, the first of them being its copy next[i]. @cost two passes
  void find(std::span<const asked_entity> asked, std::span<const std::size_t> first, std::span<const std::int64_t> next,
            std::int64_t shared_points);

  /// Adds the copies at those who asked for what number k asked for, but for its own.
  void add_others_of(std::size_t k, std::vector<std::uint64_t>& list) const;
  std::size_t others_of(std::size_t k) const { return asking(point_[k]).size() - 1; }
  /// The lists of all own shared entities, as they lie.
  void add_all(sharer_lists& lists) const;

 private:
  std::span<const std::int32_t> asking(std::int32_t point) const {
    const auto p = static_cast<std::size_t>(point);
    return std::span(order_).subspan(static_cast<std::size_t>(at_[p]), static_cast<std::size_t>(at_[p + 1] - at_[p]));
  }

  std::vector<std::int32_t> at_, order_;  ///< who asks for each point, by point
  std::vector<std::int32_t> point_;
  std::vector<std::int64_t> copy_;
};

}  // namespace adaptive_heat
