// SPDX-License-Identifier: BSD-3-Clause
// A cube of the octree over the unit cube: its place, its neighbours, its order along the Morton curve.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <type_traits>

// Instructions for what the curve needs, but not where they take a hundred cycles.
#if defined(__BMI2__) && !defined(__znver1__) && !defined(__znver2__)
#include <immintrin.h>
#define ADAPTIVE_HEAT_DEPOSITS_BITS
#endif

namespace adaptive_heat {

/// The finest level that keys can express: three coordinates of 19 bits and a level of 5 fit into 62 bits.
constexpr int max_level = 19;
/// Side of the unit cube in units of the finest level.
constexpr std::uint32_t cube_side = std::uint32_t{1} << max_level;

/// A direction to a neighbour of the same level: each component -1, 0 or 1.
struct direction {
  std::int8_t x, y, z;
};

/// Faces in NPB's order: +x -x +y -y +z -z.
constexpr std::array<direction, 6> face_directions{
    {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}};

/// Edges in NPB's order; the direction is the one across the edge, the edge itself runs along the zero component.
constexpr std::array<direction, 12> edge_directions{{{1, 0, -1},
                                                     {1, 1, 0},
                                                     {1, 0, 1},
                                                     {1, -1, 0},
                                                     {-1, 0, -1},
                                                     {-1, 1, 0},
                                                     {-1, 0, 1},
                                                     {-1, -1, 0},
                                                     {0, 1, -1},
                                                     {0, 1, 1},
                                                     {0, -1, -1},
                                                     {0, -1, 1}}};

constexpr std::uint64_t every_third_bit = 0x1249249249249249U;

/// Bits of `coordinate` (19 of them) at every third place.
constexpr std::uint64_t spread_bits(std::uint32_t coordinate) noexcept {
#ifdef ADAPTIVE_HEAT_DEPOSITS_BITS
  if (!std::is_constant_evaluated()) return _pdep_u64(coordinate, every_third_bit);
#endif
  std::uint64_t b = coordinate;
  b = (b | b << 32) & 0x001f00000000ffffU;
  b = (b | b << 16) & 0x001f0000ff0000ffU;
  b = (b | b << 8) & 0x100f00f00f00f00fU;
  b = (b | b << 4) & 0x10c30c30c30c30c3U;
  return (b | b << 2) & every_third_bit;
}

/// The inverse of spread_bits; other places are ignored.
constexpr std::uint32_t compact_bits(std::uint64_t key) noexcept {
#ifdef ADAPTIVE_HEAT_DEPOSITS_BITS
  if (!std::is_constant_evaluated()) return static_cast<std::uint32_t>(_pext_u64(key, every_third_bit));
#endif
  std::uint64_t b = key & every_third_bit;
  b = (b | b >> 2) & 0x10c30c30c30c30c3U;
  b = (b | b >> 4) & 0x100f00f00f00f00fU;
  b = (b | b >> 8) & 0x001f0000ff0000ffU;
  b = (b | b >> 16) & 0x001f00000000ffffU;
  return static_cast<std::uint32_t>(b | b >> 32);
}

/// Keys of all cells lie in [0, key_end).
constexpr std::uint64_t key_end = std::uint64_t{1} << (3 * max_level);

/// A cube of side 2^-level whose corner nearest the origin is (x, y, z) · 2^-max_level.
///
/// Octants are ordered along the Morton curve, x fastest, ancestors before descendants; so leaves of a tree, which do
/// not overlap, lie in the order of NPB UA.
struct octant {
  std::uint32_t x = 0, y = 0, z = 0;
  std::uint8_t level = 0;

  constexpr std::uint32_t side() const noexcept { return cube_side >> level; }
  /// Place of the anchor along the curve, in cells of the finest level.
  constexpr std::uint64_t key() const noexcept { return spread_bits(x) | spread_bits(y) << 1 | spread_bits(z) << 2; }
  /// One past the last cell of this octant: its cells are [key(), end_key()).
  constexpr std::uint64_t end_key() const noexcept { return key() + cells(); }
  constexpr std::uint64_t cells() const noexcept { return key_end >> (3 * level); }
  /// All of an octant in one number whose order is that of octants.
  constexpr std::uint64_t code() const noexcept { return key() << 5 | level; }

  static constexpr octant at(std::uint64_t key, int level) noexcept {
    return {compact_bits(key), compact_bits(key >> 1), compact_bits(key >> 2), static_cast<std::uint8_t>(level)};
  }
  static constexpr octant from_code(std::uint64_t code) noexcept { return at(code >> 5, static_cast<int>(code & 31)); }

  /// Child 0 … 7: bit 0 of `c` is x, bit 1 is y, bit 2 is z. @pre level < max_level
  constexpr octant child(int c) const noexcept {
    const std::uint32_t half = side() / 2, bits = static_cast<std::uint32_t>(c);
    return {x + (bits & 1) * half, y + (bits >> 1 & 1) * half, z + (bits >> 2 & 1) * half,
            static_cast<std::uint8_t>(level + 1)};
  }
  /// @pre level > 0
  constexpr octant parent() const noexcept { return ancestor(level - 1); }
  /// The octant of that level that contains this one. @pre 0 <= coarser <= level
  constexpr octant ancestor(int coarser) const noexcept {
    const std::uint32_t mask = ~((cube_side >> coarser) - 1);
    return {x & mask, y & mask, z & mask, static_cast<std::uint8_t>(coarser)};
  }
  /// Which child of its parent this is; 0 for the root.
  constexpr int child_index() const noexcept {
    const std::uint32_t s = side();
    return ((x & s) != 0 ? 1 : 0) | ((y & s) != 0 ? 2 : 0) | ((z & s) != 0 ? 4 : 0);
  }

  /// Whether the neighbour of the same level in that direction lies in the unit cube.
  constexpr bool has_neighbour(direction d) const noexcept {
    return is_inside(x, d.x) && is_inside(y, d.y) && is_inside(z, d.z);
  }
  /// The neighbour of the same level. @pre has_neighbour(d)
  constexpr octant neighbour(direction d) const noexcept {
    return {moved(x, d.x), moved(y, d.y), moved(z, d.z), level};
  }

  /// Whether `other` is this octant or a descendant of it.
  constexpr bool contains(const octant& other) const noexcept {
    return other.level >= level && other.ancestor(level) == *this;
  }

  constexpr bool operator==(const octant&) const noexcept = default;
  constexpr std::strong_ordering operator<=>(const octant& other) const noexcept { return code() <=> other.code(); }

 private:
  constexpr std::uint32_t moved(std::uint32_t coordinate, std::int8_t by) const noexcept {
    return coordinate + static_cast<std::uint32_t>(by) * side();  // wraps as it should for -1
  }
  constexpr bool is_inside(std::uint32_t coordinate, std::int8_t by) const noexcept {
    return moved(coordinate, by) < cube_side;
  }
};

/// Whether it has a face on the surface of the cube.
constexpr bool is_on_surface(const octant& o) noexcept {
  return o.x == 0 || o.y == 0 || o.z == 0 || o.x + o.side() == cube_side || o.y + o.side() == cube_side ||
         o.z + o.side() == cube_side;
}

}  // namespace adaptive_heat
