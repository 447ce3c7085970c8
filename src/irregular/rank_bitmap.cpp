// SPDX-License-Identifier: BSD-3-Clause
// The passes over all words of a bitmap.
#include "rank_bitmap.hpp"

#include <algorithm>

namespace nearfar::irregular {

rank_bitmap::page* rank_bitmap::make_page(index_t g) {
  auto& slot = pages_[as_size(g >> page_shift)];
  slot = std::make_unique<page>();
  return slot.get();
}

void rank_bitmap::erase(index_t first, index_t count) {
  const index_t end = first + count;
  for (index_t g = first; g < end;) {
    const index_t next = std::min((g & -index_t{64}) + 64, end);
    const std::uint64_t all = ~std::uint64_t{0}, kept = ~((all << (g & 63)) & (all >> (63 - ((next - 1) & 63))));
    const auto& p = pages_[as_size(g >> page_shift)];
    if (p) p->words[as_size(g >> 6) % words_per_page].bits &= kept;
    g = p ? next : ((g >> page_shift) + 1) << page_shift;
  }
}

index_t rank_bitmap::count() {
  std::uint64_t below = 0;
  for (const auto& p : pages_) {
    if (!p) continue;
    for (word& w : p->words) {
      w.below = below;
      below += static_cast<std::uint64_t>(std::popcount(w.bits));
    }
  }
  count_ = static_cast<index_t>(below);
  return count_;
}

std::vector<index_t> rank_bitmap::members() const {
  std::vector<index_t> all(as_size(count_));
  std::size_t at = 0;
  for (std::size_t k = 0; k < pages_.size(); ++k) {
    if (!pages_[k]) continue;
    index_t first = as_index(k) << page_shift;
    for (const word& w : pages_[k]->words) {
      for (std::uint64_t bits = w.bits; bits != 0; bits &= bits - 1) all[at++] = first + std::countr_zero(bits);
      first += 64;
    }
  }
  return all;
}

}  // namespace nearfar::irregular
