// SPDX-License-Identifier: BSD-3-Clause
// Boxes of global indices, and widths around them.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <nearfar/error.hpp>
#include <nearfar/index.hpp>
#include <string>
#include <vector>

namespace nearfar {

inline constexpr int max_dimensions = 4;  ///< dimensions that a grid, an array or a box has at most

/// A box of global cell indices: lower[d] <= i < upper[d], slowest dimension first.
struct box {
  int dimensions = 0;  ///< of the grid that it is a box of: 1 to 4; entries of the bounds behind them do not count
  std::array<index_t, max_dimensions> lower{};  ///< first cell along each dimension
  std::array<index_t, max_dimensions> upper{};  ///< behind the last cell along each dimension

  /// Cells along dimension d (0 is the slowest); 0 where the upper bound is not above the lower one.
  index_t extent(int d) const noexcept {
    const auto i = static_cast<std::size_t>(d);
    return upper[i] > lower[i] ? upper[i] - lower[i] : 0;
  }
  index_t cells() const noexcept {  ///< 0 if any extent is not positive
    index_t product = dimensions == 0 ? 0 : 1;
    for (int d = 0; d < dimensions; ++d) product *= extent(d);
    return product;
  }
  /// Whether there is no cell in it.
  bool is_empty() const noexcept { return cells() == 0; }
  friend bool operator==(const box&, const box&) = default;
};

/// The cells that are in both; all bounds zero if there are none.
inline box intersection(const box& a, const box& b) noexcept {
  box both{a.dimensions < b.dimensions ? a.dimensions : b.dimensions, {}, {}};
  for (std::size_t d = 0; d < static_cast<std::size_t>(both.dimensions); ++d) {
    both.lower[d] = a.lower[d] > b.lower[d] ? a.lower[d] : b.lower[d];
    both.upper[d] = a.upper[d] < b.upper[d] ? a.upper[d] : b.upper[d];
  }
  return both.is_empty() ? box{both.dimensions, {}, {}} : both;
}

/// Widths of a layer around a tile, per dimension and side, in cells.
class ghosts {
 public:
  /// The same width on all sides of all dimensions, in cells.
  ghosts(int width = 0) noexcept { low_.fill(width), high_.fill(width); }  // NOLINT: implicit by intent
  /// {{low, high}, …}, slowest dimension first; dimensions that are not named get 0.
  /// @throws usage_error  more than four entries
  ghosts(std::initializer_list<std::array<int, 2>> low_high) {
    if (low_high.size() > low_.size())
      throw usage_error("ghost widths of " + std::to_string(low_high.size()) + " dimensions; a grid has 1 to 4");
    int d = 0;
    for (const auto& [low, high] : low_high) set(d++, low, high);
  }
  /// Cells below the tile along dimension d.
  int low(int d) const noexcept { return low_[static_cast<std::size_t>(d)]; }
  /// Cells above the tile along dimension d.
  int high(int d) const noexcept { return high_[static_cast<std::size_t>(d)]; }
  /// Sets both widths of dimension d.
  void set(int d, int low, int high) noexcept {
    low_[static_cast<std::size_t>(d)] = low, high_[static_cast<std::size_t>(d)] = high;
  }
  friend bool operator==(const ghosts&, const ghosts&) = default;

 private:
  std::array<int, max_dimensions> low_{}, high_{};
};

/// `b` with the layers of `widths` around it; the empty box stays empty.
inline box grown(const box& b, const ghosts& widths) noexcept {
  if (b.is_empty()) return b;
  box larger = b;
  for (int d = 0; d < b.dimensions; ++d) {
    larger.lower[static_cast<std::size_t>(d)] -= widths.low(d);
    larger.upper[static_cast<std::size_t>(d)] += widths.high(d);
  }
  return larger;
}

/// internal: what loops ask of a grid or a decomposition, whose states begin with it, without a call of the library.
struct owned_cells {
  std::vector<index_t> extents{};  ///< of the whole, slowest dimension first
  box own{};                       ///< this rank's part
};

}  // namespace nearfar
