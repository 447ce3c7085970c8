// SPDX-License-Identifier: BSD-3-Clause
// The identity of mortar entities: where their centres are; and a table from that to numbers.
#pragma once

#include <array>
#include <cstdint>
#include <element/entities.hpp>
#include <mesh/octant.hpp>
#include <utility>
#include <vector>

namespace adaptive_heat {

/// A point in units of half the side of the smallest cell there can be: centres of edges and faces are such points.
using half_point = std::array<std::uint32_t, 3>;
constexpr std::uint32_t half_end = 2 * cube_side;

/// No two entities (vertices, edges and faces that no finer element splits) of a mesh have the same centre.
constexpr std::uint64_t entity_key(const half_point& centre) noexcept {
  return std::uint64_t{centre[0]} << 42 | std::uint64_t{centre[1]} << 21 | centre[2];
}

/// Where an entity has its centre, a vertex of another mesh or an edge or face of this one may be or have been: keys
/// for longer than one mesh tell them apart.
constexpr std::uint64_t lasting_key(const half_point& centre, int dimension) noexcept {
  return entity_key(centre) | (dimension == 0 ? std::uint64_t{1} << 63 : 0);
}
/// The centre again, of either key.
constexpr half_point centre_of(std::uint64_t key) noexcept {
  constexpr std::uint64_t mask = (std::uint64_t{1} << 21) - 1;
  return {static_cast<std::uint32_t>(key >> 42 & mask), static_cast<std::uint32_t>(key >> 21 & mask),
          static_cast<std::uint32_t>(key & mask)};
}

/// Of all leaves that contain an entity the first along the Morton curve has this cell, so that its rank is the
/// entity's owner.
constexpr std::uint64_t owner_cell(const half_point& centre) noexcept {
  const auto before = [](std::uint32_t c) { return c == 0 ? 0 : (c - 1) / 2; };
  return octant{before(centre[0]), before(centre[1]), before(centre[2]), max_level}.key();
}

constexpr bool is_on_surface(const half_point& centre) noexcept {
  for (const std::uint32_t c : centre)
    if (c == 0 || c == half_end) return true;
  return false;
}

/// The point at quarters[axis] / 4 of the way through a leaf. @pre leaf.level <= max_level - 1 where quarters are odd
constexpr half_point point_in(const octant& leaf, std::array<int, 3> quarters) noexcept {
  const auto at = [&](std::uint32_t anchor, int q) {
    return 2 * anchor + static_cast<std::uint32_t>(q) * leaf.side() / 2;
  };
  return {at(leaf.x, quarters[0]), at(leaf.y, quarters[1]), at(leaf.z, quarters[2])};
}

/// Centres of the 26 entities of an element, in quarters of its side.
constexpr std::array<std::array<int, 3>, entities> make_entity_quarters() {
  std::array<std::array<int, 3>, entities> table{};
  for (int v = 0; v < vertices; ++v)
    for (int axis = 0; axis < 3; ++axis)
      table[static_cast<std::size_t>(v)][static_cast<std::size_t>(axis)] = 4 * vertex_side(v, axis);
  for (int e = 0; e < edges; ++e) {
    const edge_place& place = edge_places[static_cast<std::size_t>(e)];
    for (int axis = 0; axis < 3; ++axis)
      table[static_cast<std::size_t>(first_edge + e)][static_cast<std::size_t>(axis)] =
          axis == place.axis ? 2 : 4 * place.side[static_cast<std::size_t>(axis)];
  }
  for (int f = 0; f < faces; ++f)
    for (int axis = 0; axis < 3; ++axis)
      table[static_cast<std::size_t>(first_face + f)][static_cast<std::size_t>(axis)] =
          axis == face_axis(f) ? 4 * face_side(f) : 2;
  return table;
}
constexpr std::array<std::array<int, 3>, entities> entity_quarters = make_entity_quarters();

/// Numbers keys from 0, in the order in which they are first asked for; numbers of keys that were erased are given
/// again.
class entity_table {
 public:
  entity_table() : slots_(16) {}
  void clear();  ///< forgets all keys
  /// The number of a key, and whether it is new. No key is all ones.
  std::pair<std::int32_t, bool> insert(std::uint64_t key);
  std::int32_t find(std::uint64_t key) const noexcept;  ///< -1 if it is not there
  /// Two steps that make a search for the key soon after cheap; best each for several keys in turn. They change
  /// nothing.
  void prefetch(std::uint64_t key) const noexcept { __builtin_prefetch(&slots_[home_of(hash_of(key))]); }
  void prefetch_key(std::uint64_t key) const noexcept {
    const std::uint32_t hash = hash_of(key);
    if (const slot& s = slots_[home_of(hash)]; s.number != empty && s.hash == hash)
      __builtin_prefetch(&keys_[static_cast<std::size_t>(s.number)]);
  }
  void erase(std::int32_t number);  ///< @pre is_used(number)
  bool is_used(std::int32_t number) const noexcept { return key(number) != unused; }
  std::uint64_t key(std::int32_t number) const noexcept { return keys_[static_cast<std::size_t>(number)]; }
  std::int32_t end() const noexcept { return static_cast<std::int32_t>(keys_.size()); }  ///< numbers are below it

 private:
  static constexpr std::int32_t empty = -1;
  static constexpr std::uint64_t unused = ~std::uint64_t{0};
  /// The hash is here so that other keys on the way to one need not be looked at, which would be somewhere else in
  /// memory.
  struct slot {
    std::int32_t number = empty;
    std::uint32_t hash = 0;
  };
  /// Coordinates end in many zeros: only the highest bits of a product depend on all of them.
  static std::uint32_t hash_of(std::uint64_t key) noexcept {
    return static_cast<std::uint32_t>((key * 0x9e3779b97f4a7c15U) >> 32);
  }
  std::size_t home_of(std::uint32_t hash) const noexcept { return hash >> shift_; }
  std::size_t place_of(std::uint64_t key, std::uint32_t hash) const noexcept;
  void grow();

  std::vector<slot> slots_;          ///< open addressing, linear probing
  int shift_ = 28;                   ///< as many bits are left as number the slots
  std::vector<std::uint64_t> keys_;  ///< by number
  std::vector<std::int32_t> free_;
};

}  // namespace adaptive_heat
