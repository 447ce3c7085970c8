// SPDX-License-Identifier: BSD-3-Clause
// How a long vector is cut for an allreduce over several nodes.
#pragma once

#include <algorithm>
#include <base/numbers.hpp>
#include <bit>
#include <cstdint>

namespace nearfar::collective {

/// A vector in groups that cross between the nodes at once, each group in as many slices as ranks of a node combine,
/// each slice in pieces that go through the rings. A unit of the ring takes one piece of every slice and behind them
/// the result of an earlier piece of one slice.
struct cutting {
  static constexpr index_t unit_bytes = 128 << 10;  ///< of the ring, for one piece of every slice and a result
  index_t element, count, groups, pieces_of_group, per_piece, narrow, wide, unit;
  int owners;
  cutting(index_t bytes, index_t element_bytes, int owners_, index_t group_bytes)
      : element(element_bytes), count(bytes / element_bytes), owners(owners_) {
    const index_t most = unit_bytes / (owners + 1) / 64 * 64;
    const index_t work = std::max<index_t>(most, 4096) / element;
    groups = (bytes + group_bytes - 1) / group_bytes;
    pieces_of_group = parts_of(parts_of(count, groups), work * owners);
    per_piece = parts_of(count, groups * pieces_of_group * owners);
    narrow = (per_piece * element + 63) / 64 * 64;
    wide = narrow * owners;
    unit = static_cast<index_t>(std::bit_ceil(static_cast<std::uint64_t>(wide + narrow)));
  }
  static index_t parts_of(index_t whole, index_t part) { return (whole + part - 1) / part; }
  index_t pieces() const { return groups * pieces_of_group; }
  /// Piece k of a slice begins here.
  index_t first(index_t k, int slice) const {
    const index_t before = k / pieces_of_group * owners + slice;
    return std::min(count, (before * pieces_of_group + k % pieces_of_group) * per_piece);
  }
  index_t elements(index_t k, int slice) const { return std::min(per_piece, count - first(k, slice)); }
  /// The elements of a group's slice.
  index_t in_group(index_t group, int slice) const {
    return std::min(pieces_of_group * per_piece, count - first(group * pieces_of_group, slice));
  }
};

}  // namespace nearfar::collective
