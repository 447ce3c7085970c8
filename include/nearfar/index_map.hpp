// SPDX-License-Identifier: BSD-3-Clause
// An index map: how a rank numbers what it works on: its own elements, then copies of other ranks' elements (ghosts).
#pragma once

#include <cstdint>
#include <nearfar/api.hpp>
#include <nearfar/index.hpp>
#include <span>
#include <vector>

namespace nearfar {

/// One neighbour's share of the ghosts: local indices first … first + count - 1.
struct ghost_range {
  int owner = 0;                 ///< team rank
  index_t first = 0, count = 0;  ///< where its ghosts begin in local numbering, and how many there are
};

/// Local index i is own element i for i < owned(), else ghost i - owned(): both behind one base pointer, so that a loop
/// over local indices has no branch.
///
/// Ghosts are sorted by owner, ascending, and those of one owner by global index. Each remote element that is referred
/// to is one ghost, however often it is referred to.
class NEARFAR_API index_map {
 public:
  /// Own elements, local indices 0 … owned()-1.
  index_t owned() const noexcept { return owned_; }
  /// Other ranks' elements that are referred to, each once.
  index_t ghosts() const noexcept { return ghosts_; }
  index_t total() const noexcept { return owned_ + ghosts_; }  ///< below 2^31
  /// Whether a local index is an own element.
  bool is_owned(index_t local) const noexcept { return local < owned_; }
  std::span<const ghost_range> ghost_ranges() const noexcept { return ranges_; }  ///< by owner; none is empty

  index_map() = default;
  index_map(index_t owned, std::vector<ghost_range> ranges);  ///< internal

 private:
  index_t owned_ = 0, ghosts_ = 0;
  std::vector<ghost_range> ranges_;
};

}  // namespace nearfar
