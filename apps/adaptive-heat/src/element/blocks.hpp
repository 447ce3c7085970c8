// SPDX-License-Identifier: BSD-3-Clause
// How elements lie in memory: blocks of eight, values of the same point of the eight elements next to each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include <element/entities.hpp>

namespace adaptive_heat {

constexpr int simd_lanes = 8;

/// Memory for vectors of one block's SIMD lanes.
template <class T>
struct aligned_allocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};
  aligned_allocator() = default;
  template <class U>
  explicit aligned_allocator(const aligned_allocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, alignment); }
  template <class U>
  bool operator==(const aligned_allocator<U>&) const {
    return true;
  }
};
template <class T>
using aligned_vector = std::vector<T, aligned_allocator<T>>;

/// What elements of a block are like, one value per SIMD lane. Elements of one block may have different levels.
struct alignas(64) block_shape {
  double side[simd_lanes];       ///< h
  double anchor[3][simd_lanes];  ///< the corner nearest to the origin
  double stiffness[simd_lanes];  ///< visc h / 2
  double mass[simd_lanes];       ///< (h / 2)^3 / dt
  double slope[simd_lanes];      ///< velocity * 2 / h: that and the chain rule
};

/// Where the entities of a block's elements begin in vectors of mortar points.
struct alignas(64) block_map {
  std::int32_t of[entities][simd_lanes];
};
/// Weights are multiples of a sixth, so that they and their sums (at most 8) fit into bytes, and sums are exact.
constexpr int weight_unit = 6;
/// Weights of the entities in the averages that a time step begins with, in sixths.
struct alignas(8) block_weights {
  std::uint8_t of[entities][simd_lanes];
};

/// Vectors of the conjugate gradients, of interior points, that lie in u where its boundary is before and after the
/// iterations: in these the boundary is that of the mortars, and a mortar vector has it. What does not find room there
/// lies behind the volume.
enum class lodger : int {
  p,
  q,  ///< A z
  s,  ///< A p
};
/// Where in the memory of an element of order N an interior point of one has its place.
template <int N>
constexpr int place_of(lodger vector, int point) {
  using lists = point_lists<N>;
  const int n = static_cast<int>(vector) * lists::counts.interior() + point, more = n - lists::counts.boundary();
  return more < 0 ? lists::boundary[static_cast<std::size_t>(n)] : lists::counts.volume() + more;
}

/// The fields of a rank's elements; pointers to the first block.
struct block_fields {
  int order;
  const block_shape* shape;
  const double* inverse_diagonal;  ///< [block][interior kind][simd_lane]: of the element matrix
  const block_map* map;
  double* u;  ///< [block][stored()][simd_lane], of which the volume comes first
  double* r;  ///< [block][interior point][simd_lane]: the residual of the conjugate gradients
  /// Where not null, [block][boundary point][simd_lane]: contributions to mortar points are left here instead of being
  /// added to them.
  double* contributions = nullptr;
  /// Where not null, blocks with a number that is not negative give to the places of that map of these.
  const std::int32_t* apart_of_block = nullptr;
  const block_map* apart = nullptr;

  // One value each, slowly.
  double& lodged(lodger vector, std::size_t block, std::size_t point, std::size_t simd_lane) const noexcept {
    const int place = with_order(order, [&](auto n) { return place_of<n>(vector, static_cast<int>(point)); });
    return u[(block * static_cast<std::size_t>(point_counts{order}.stored()) + static_cast<std::size_t>(place)) *
                 simd_lanes +
             simd_lane];
  }
  double inverse_diagonal_at(std::size_t block, std::size_t point, std::size_t simd_lane) const noexcept {
    const point_list_view lists = points_of(order);
    const auto kind = static_cast<std::size_t>(lists.interior_kind[point]);
    return inverse_diagonal[(block * static_cast<std::size_t>(lists.kinds) + kind) * simd_lanes + simd_lane];
  }
  const block_map& map_to_give(std::int64_t block) const noexcept {
    if (apart_of_block == nullptr || apart_of_block[block] < 0) return map[block];
    return apart[apart_of_block[block]];
  }
};

}  // namespace adaptive_heat
