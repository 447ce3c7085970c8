// SPDX-License-Identifier: BSD-3-Clause
// Packing elements by non-temporal stores, and reading what was packed so. Lines that a near rank has read stay in its
// cache; an ordinary store waits until that cache has given them up, four times as long if the cores share no cache.
#pragma once

#include <algorithm>
#include <base/numbers.hpp>
#include <cstddef>
#include <cstdint>

namespace nearfar::irregular {

/// pick of kernels.hpp past the caches; near::finish_past_caches() before others may read. Lines are stored as a whole
/// where `to` starts one.
void stream_pick(std::byte* to, const std::byte* from, const std::int32_t* places, index_t count, index_t bytes);

/// Calls body(first, count) for pieces of `count` elements at `from`, in order, asking memory for what comes two
/// kilobytes later.
template <class Body>
void for_fetched_pieces(const std::byte* from, index_t count, index_t element_bytes, Body body) {
  constexpr index_t line_bytes = 64, piece_bytes = 8 * line_bytes, ahead_bytes = 2048;
  const index_t step = std::max(piece_bytes / element_bytes, index_t{1});
  const std::byte* const end = from + count * element_bytes;
  const std::byte* fetched = from;
  for (index_t first = 0; first < count; first += step) {
    const std::byte* const until = std::min(from + (first + step) * element_bytes + ahead_bytes, end);
    for (; fetched < until; fetched += line_bytes) __builtin_prefetch(fetched);
    body(first, std::min(step, count - first));
  }
}

}  // namespace nearfar::irregular
