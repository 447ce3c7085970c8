// SPDX-License-Identifier: BSD-3-Clause
// Numbers of threads over ranks, and the shares of an array that threads take.
#pragma once

#include <algorithm>
#include <base/numbers.hpp>
#include <near/signal.hpp>
#include <numeric>
#include <vector>

namespace nearfar::threads {

/// How many threads each rank has. No list is kept where all have the same number.
class thread_numbering {
 public:
  thread_numbering() = default;
  /// `threads` per rank, in order of ranks.
  explicit thread_numbering(const std::vector<int>& threads) : ranks_(static_cast<int>(threads.size())) {
    if (std::adjacent_find(threads.begin(), threads.end(), std::not_equal_to<>()) == threads.end()) {
      each_ = threads.front();
      return;
    }
    firsts_.push_back(0);
    for (const int n : threads) firsts_.push_back(firsts_.back() + n);
  }
  int of(int rank) const noexcept { return static_cast<int>(first(rank + 1) - first(rank)); }
  index_t first(int rank) const noexcept { return firsts_.empty() ? index_t{each_} * rank : firsts_[as_size(rank)]; }
  index_t all() const noexcept { return first(ranks_); }

 private:
  int ranks_ = 1, each_ = 1;
  std::vector<index_t> firsts_;
};

struct share {
  index_t first = 0, last = 0;  ///< elements first <= i < last
  index_t count() const noexcept { return last - first; }
};

/// Part `part` of `parts` of `count` elements, cut at cache lines (if the array begins at one), so that no line is
/// written by two.
inline share share_of(index_t count, index_t element_bytes, int part, int parts) noexcept {
  constexpr auto line = static_cast<index_t>(near::cache_line_bytes);
  const index_t grain = line / std::gcd(line, std::max<index_t>(element_bytes, 1));
  const index_t grains = (count + grain - 1) / grain;
  const auto cut = [&](index_t p) { return std::min(grains * p / parts * grain, count); };
  return {cut(part), cut(index_t{part} + 1)};
}

}  // namespace nearfar::threads
