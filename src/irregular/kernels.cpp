// SPDX-License-Identifier: BSD-3-Clause
// Copies of elements by index: fixed sizes are inlined moves.
#include "kernels.hpp"

#include <cstring>

#include "split.hpp"

namespace nearfar::irregular {

namespace {

template <std::size_t Bytes>
struct element {
  std::byte bytes[Bytes];
};

template <class T>
void pick_words(std::byte* __restrict to, const std::byte* from, const std::int32_t* __restrict places, index_t count) {
  const auto* source = reinterpret_cast<const T*>(from);
  auto* target = reinterpret_cast<T*>(to);
  for (index_t k = 0; k < count; ++k) std::memcpy(target + k, source + places[k], sizeof(T));
}

template <class T>
void pick_words_split(std::byte* __restrict to, const std::byte* x, const std::byte* ghosts, index_t owned,
                      const std::int32_t* __restrict places, index_t count) {
  constexpr auto bytes = static_cast<index_t>(sizeof(T));
  const index_t apart = distance_of(x, ghosts, owned, bytes);
  const auto limit = static_cast<std::int32_t>(owned);
  const auto* low = reinterpret_cast<const T*>(x);
  auto* target = reinterpret_cast<T*>(to);
  for_split(
      places, count, limit, [&](index_t k) { std::memcpy(target + k, low + places[k], sizeof(T)); },
      [&](index_t k) { std::memcpy(target + k, x + split_offset(places[k], limit, bytes, apart), sizeof(T)); });
}

}  // namespace

void pick(std::byte* to, const std::byte* from, const std::int32_t* places, index_t count, index_t bytes) {
  switch (bytes) {
    case 4:
      return pick_words<element<4>>(to, from, places, count);
    case 8:
      return pick_words_of_8(to, from, places, count);
    case 16:
      return pick_words<element<16>>(to, from, places, count);
    case 24:
      return pick_words<element<24>>(to, from, places, count);
    case 32:
      return pick_words<element<32>>(to, from, places, count);
    default:
      for (index_t k = 0; k < count; ++k) std::memcpy(to + k * bytes, from + places[k] * bytes, as_size(bytes));
  }
}

void pick_split(std::byte* to, const std::byte* x, const std::byte* ghosts, index_t owned, const std::int32_t* places,
                index_t count, index_t bytes) {
  switch (bytes) {
    case 4:
      return pick_words_split<element<4>>(to, x, ghosts, owned, places, count);
    case 8:
      return pick_words_split<element<8>>(to, x, ghosts, owned, places, count);
    case 24:
      return pick_words_split<element<24>>(to, x, ghosts, owned, places, count);
    default: {
      const index_t apart = distance_of(x, ghosts, owned, bytes);
      for (index_t k = 0; k < count; ++k)
        std::memcpy(to + k * bytes, x + split_offset(places[k], static_cast<std::int32_t>(owned), bytes, apart),
                    as_size(bytes));
    }
  }
}

}  // namespace nearfar::irregular
