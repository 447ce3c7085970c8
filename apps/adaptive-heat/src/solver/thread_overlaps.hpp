// SPDX-License-Identifier: BSD-3-Clause
// Where elements of several threads meet: sums there are made afterwards, in the order of the elements.
#pragma once

#include <base/thread_team.hpp>
#include <cstdint>
#include <mortar/layout.hpp>
#include <solver/element_set.hpp>
#include <vector>

namespace adaptive_heat {

/// An entity that elements of one thread have alone gets their contributions as they come. At one that several threads
/// have, each contribution has a place of its own behind the vector, and one thread adds them in the order of the
/// blocks. So every sum is made in the same order for any number of threads, without atomic operations.
class thread_overlaps {
 public:
  /// Finds them and tells the elements. Each thread has its share of the boundary blocks, and of the inner ones. Local.
  void renew(const thread_team& threads, const mortar_layout& layout, element_set& elements);

  std::int64_t places() const noexcept { return places_; }  ///< values behind a vector that elements give to
  /// Adds to the vector what lies behind it, and leaves zeros there. First those points that other ranks have too, and
  /// traces with such points; then the others.
  enum class part { shared, others };
  void add(const thread_team& threads, part which, double* vector) const;

 private:
  struct overlap {
    std::int32_t place, points;
    std::int32_t first = 0, count = 0;  ///< of its contributions
  };
  struct hit {
    std::int32_t overlap, block;
    std::uint8_t simd_lane, entity;
  };
  void find(const thread_team& threads, const mortar_layout& layout, const element_set& elements);
  void sort(const mortar_layout& layout);
  void collect(const mortar_layout& layout, const element_set& elements);
  void give_places(const mortar_layout& layout, element_set& elements);

  std::vector<std::int32_t> marks_;  ///< per place: 0, a thread and 1, or ~overlap
  std::vector<overlap> overlaps_;
  std::vector<hit> hits_;
  std::vector<std::int32_t> contributions_;  ///< where they lie
  std::int64_t shared_ = 0, places_ = 0;
};

}  // namespace adaptive_heat
