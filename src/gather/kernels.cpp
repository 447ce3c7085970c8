// SPDX-License-Identifier: BSD-3-Clause
// Copies of elements by index: fixed sizes are inlined moves, so that the compiler can use the processor's own gathers.
#include "kernels.hpp"

#include <algorithm>
#include <cstring>

#include "split.hpp"

namespace nearfar::gathering {

namespace {

template <std::size_t Bytes>
struct element {
  std::byte bytes[Bytes];
};

template <class T>
void pick_words(std::byte* __restrict to, const std::byte* from, const std::int32_t* __restrict places, index count) {
  const auto* source = reinterpret_cast<const T*>(from);
  auto* target = reinterpret_cast<T*>(to);
  for (index k = 0; k < count; ++k) std::memcpy(target + k, source + places[k], sizeof(T));
}

template <class T>
void pick_words_split(std::byte* __restrict to, const std::byte* x, const std::byte* ghosts, index owned,
                      const std::int32_t* __restrict places, index count) {
  constexpr auto bytes = static_cast<index>(sizeof(T));
  const index apart = distance_of(x, ghosts, owned, bytes);
  const auto limit = static_cast<std::int32_t>(owned);
  const auto* low = reinterpret_cast<const T*>(x);
  auto* target = reinterpret_cast<T*>(to);
  for_split(
      places, count, limit, [&](index k) { std::memcpy(target + k, low + places[k], sizeof(T)); },
      [&](index k) { std::memcpy(target + k, x + split_offset(places[k], limit, bytes, apart), sizeof(T)); });
}

constexpr index cache_line = 64;

void fetch_for_writing(const std::byte* at, index bytes) {
  for (index i = 0; i < bytes; i += cache_line) __builtin_prefetch(at + i, 1);
}

}  // namespace

void pick(std::byte* to, const std::byte* from, const std::int32_t* places, index count, index bytes) {
  switch (bytes) {
    case 4:
      return pick_words<element<4>>(to, from, places, count);
    case 8:
      return pick_words<element<8>>(to, from, places, count);
    case 16:
      return pick_words<element<16>>(to, from, places, count);
    case 24:
      return pick_words<element<24>>(to, from, places, count);
    case 32:
      return pick_words<element<32>>(to, from, places, count);
    default:
      for (index k = 0; k < count; ++k) std::memcpy(to + k * bytes, from + places[k] * bytes, as_size(bytes));
  }
}

void pick_for_others(std::byte* to, const std::byte* from, const std::int32_t* places, index count, index bytes) {
  constexpr index block_bytes = 4096;
  alignas(64) std::byte block[block_bytes];
  const index most = block_bytes / bytes;
  if (most < 2) return pick(to, from, places, count, bytes);
  for (index k = 0; k < count; k += most) {
    const index some = std::min(most, count - k);
    fetch_for_writing(to + k * bytes, some * bytes);
    pick(block, from, places + k, some, bytes);
    std::memcpy(to + k * bytes, block, as_size(some * bytes));
  }
}

void copy_for_others(std::byte* to, const std::byte* from, index bytes) {
  constexpr index block_bytes = 2048;
  for (index at = 0; at < bytes; at += block_bytes) {
    const index some = std::min(block_bytes, bytes - at);
    fetch_for_writing(to + at, some);
    std::memcpy(to + at, from + at, as_size(some));
  }
}

void copy_from_others(std::byte* to, const std::byte* from, index bytes) {
  constexpr index block_bytes = 2048;
  for (index at = 0; at < bytes; at += block_bytes) {
    const index some = std::min(block_bytes, bytes - at);
    for (index i = 0; i < some; i += cache_line) __builtin_prefetch(from + at + i);
    std::memcpy(to + at, from + at, as_size(some));
  }
}

void pick_split(std::byte* to, const std::byte* x, const std::byte* ghosts, index owned, const std::int32_t* places,
                index count, index bytes) {
  switch (bytes) {
    case 4:
      return pick_words_split<element<4>>(to, x, ghosts, owned, places, count);
    case 8:
      return pick_words_split<element<8>>(to, x, ghosts, owned, places, count);
    case 24:
      return pick_words_split<element<24>>(to, x, ghosts, owned, places, count);
    default: {
      const index apart = distance_of(x, ghosts, owned, bytes);
      for (index k = 0; k < count; ++k)
        std::memcpy(to + k * bytes, x + split_offset(places[k], static_cast<std::int32_t>(owned), bytes, apart),
                    as_size(bytes));
    }
  }
}

}  // namespace nearfar::gathering
