// SPDX-License-Identifier: BSD-3-Clause
// For tests of reproducible reductions: numbers whose sum shows the order of the additions, and the sum in the order of
// ranks.
#pragma once

#include <base/numbers.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

namespace nearfar::collective::test {

// Numbers of very different sizes: any other order of additions gives other bits.
inline std::vector<double> contribution(int rank, index_t count) {
  std::vector<double> values(as_size(count));
  std::uint64_t state = 88172645463325252ULL + static_cast<std::uint64_t>(rank) * 0x9e3779b97f4a7c15ULL;
  for (auto& v : values) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    v = std::ldexp(static_cast<double>(state >> 11), static_cast<int>(state % 61) - 80) * (state & 1024 ? 1 : -1);
  }
  return values;
}

/// Of the ranks `first` to `last`, one after the other.
inline std::vector<double> serial_sum(int first, int last, index_t count) {
  std::vector<double> sum = contribution(first, count);
  for (int r = first + 1; r <= last; ++r) {
    const auto next = contribution(r, count);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += next[i];
  }
  return sum;
}

}  // namespace nearfar::collective::test
