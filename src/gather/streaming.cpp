// SPDX-License-Identifier: BSD-3-Clause
// Non-temporal stores by whole lines; elements of other sizes than words are put together in a small block first.
#include "streaming.hpp"

#include <algorithm>
#include <cstring>

#include "kernels.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace nearfar::gathering {

namespace {

constexpr index line_bytes = 64;
constexpr index largest_block_element = 256;

}  // namespace

#if defined(__x86_64__)

bool can_stream() noexcept { return true; }
void finish_stream() noexcept { _mm_sfence(); }

void stream_copy(std::byte* to, const std::byte* from, index bytes) {
  const index past = static_cast<index>(reinterpret_cast<std::uintptr_t>(to) % line_bytes);
  const index before = std::min((line_bytes - past) % line_bytes, bytes);
  std::memcpy(to, from, as_size(before));
  index at = before;
  for (; at + line_bytes <= bytes; at += line_bytes)
    for (index part = at; part < at + line_bytes; part += as_index(sizeof(__m128d)))
      _mm_stream_pd(reinterpret_cast<double*>(to + part), _mm_loadu_pd(reinterpret_cast<const double*>(from + part)));
  std::memcpy(to + at, from + at, as_size(bytes - at));
}

#else

bool can_stream() noexcept { return false; }
void finish_stream() noexcept {}
void stream_copy(std::byte* to, const std::byte* from, index bytes) { std::memcpy(to, from, as_size(bytes)); }

#endif

void stream_pick(std::byte* to, const std::byte* from, const std::int32_t* places, index count, index bytes) {
  if (bytes == 8) return stream_words_of_8(to, from, places, count);
  if (!can_stream() || bytes > largest_block_element) return pick(to, from, places, count, bytes);
  alignas(line_bytes) std::byte block[line_bytes * largest_block_element];
  for (index k = 0; k < count; k += line_bytes) {
    const index some = std::min(line_bytes, count - k);
    pick(block, from, places + k, some, bytes);
    stream_copy(to + k * bytes, block, some * bytes);
  }
}

}  // namespace nearfar::gathering
