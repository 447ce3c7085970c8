// SPDX-License-Identifier: BSD-3-Clause
// Which rank owns which piece of the Morton curve.
#pragma once

#include <algorithm>
#include <mesh/octant.hpp>
#include <utility>
#include <vector>

namespace adaptive_heat {

/// P + 1 ascending keys: rank r owns the cells [begin(r), end(r)), an empty piece if the two are equal. The same on
/// every rank. Splitters lie between leaves, never inside of one.
class partition {
 public:
  partition() = default;
  /// @pre splitters ascend from 0 to key_end
  explicit partition(std::vector<std::uint64_t> splitters) : keys_(std::move(splitters)) {}

  int ranks() const noexcept { return static_cast<int>(keys_.size()) - 1; }
  std::uint64_t begin(int rank) const noexcept { return keys_[static_cast<std::size_t>(rank)]; }
  std::uint64_t end(int rank) const noexcept { return keys_[static_cast<std::size_t>(rank) + 1]; }
  bool is_empty(int rank) const noexcept { return begin(rank) == end(rank); }
  bool owns(int rank, std::uint64_t cell) const noexcept { return begin(rank) <= cell && cell < end(rank); }
  int owner(std::uint64_t cell) const noexcept {
    return static_cast<int>(std::upper_bound(keys_.begin(), keys_.end(), cell) - keys_.begin()) - 1;
  }
  const std::vector<std::uint64_t>& splitters() const noexcept { return keys_; }
  bool operator==(const partition&) const = default;

 private:
  std::vector<std::uint64_t> keys_{0, key_end};
};

}  // namespace adaptive_heat
