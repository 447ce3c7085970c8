// SPDX-License-Identifier: BSD-3-Clause
// Elements of other sizes than words are collected in a small block first.
#include "streaming.hpp"

#include <algorithm>
#include <near/past_caches.hpp>

#include "kernels.hpp"

namespace nearfar::irregular {

namespace {
constexpr index_t line_bytes = 64;
constexpr index_t largest_block_element = 256;
}  // namespace

void stream_pick(std::byte* to, const std::byte* from, const std::int32_t* places, index_t count, index_t bytes) {
  if (bytes == 8) return stream_words_of_8(to, from, places, count);
  if (bytes > largest_block_element) return pick(to, from, places, count, bytes);
  alignas(line_bytes) std::byte block[line_bytes * largest_block_element];
  for (index_t k = 0; k < count; k += line_bytes) {
    const index_t some = std::min(line_bytes, count - k);
    pick(block, from, places + k, some, bytes);
    near::copy_past_caches(to + k * bytes, block, some * bytes);
  }
}

}  // namespace nearfar::irregular
