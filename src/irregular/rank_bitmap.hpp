// SPDX-License-Identifier: BSD-3-Clause
// A set of 64-bit indices that gives for each member the number of members below it, without sorting or hashing.
#pragma once

#include <base/numbers.hpp>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace nearfar::irregular {

/// Bits of the indices 0 … limit-1 in pages that are made when they are touched: 16 bytes per 64 indices of a touched
/// page.
class rank_bitmap {
 public:
  explicit rank_bitmap(index_t limit) : pages_(as_size((limit + page_indices - 1) >> page_shift)) {}

  void insert(index_t g) {
    page* p = pages_[as_size(g >> page_shift)].get();
    if (p == nullptr) [[unlikely]]
      p = make_page(g);
    p->words[as_size(g >> 6) % words_per_page].bits |= std::uint64_t{1} << (g & 63);
  }

  /// first … first + count - 1 are members no more.
  void erase(index_t first, index_t count);

  /// Counts; no insertions afterwards. Returns the number of members.
  index_t count();

  /// Members below g, which is or was a member.
  [[gnu::always_inline]] std::int32_t rank(index_t g) const noexcept {
    const word& w = pages_[as_size(g >> page_shift)]->words[as_size(g >> 6) % words_per_page];
    return static_cast<std::int32_t>(w.below) + std::popcount(w.bits & ((std::uint64_t{1} << (g & 63)) - 1));
  }

  /// All members, ascending.
  std::vector<index_t> members() const;

 private:
  struct word {
    std::uint64_t bits = 0;
    std::uint64_t below = 0;
  };
  static constexpr int page_shift = 16;
  static constexpr index_t page_indices = index_t{1} << page_shift;
  static constexpr std::size_t words_per_page = page_indices / 64;
  struct page {
    word words[words_per_page];
  };
  page* make_page(index_t g);

  std::vector<std::unique_ptr<page>> pages_;
  index_t count_ = 0;
};

}  // namespace nearfar::irregular
