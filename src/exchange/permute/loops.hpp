// SPDX-License-Identifier: BSD-3-Clause
// Transposition of tiles in registers, for vectors of `vector_bytes` bytes, which each instruction set's file defines before it includes this.
//
// A tile is as wide as a cache line on the destination's side and as long as a vector on the source's: it reads whole vectors, exchanges
// elements between them in log2 steps, and writes whole lines. With vectors of a line's length it reads whole lines as well, so that strides
// that are powers of two (whose lines meet in few sets of a cache) cost nothing.
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "plane.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace nearfar::exchange {
namespace {

constexpr index line_bytes = 64;
constexpr index lines_ahead = 2;        // of a column's memory, asked for before their turn
constexpr index bytes_at_a_time = 256;  // of a row, before the next rows: as many columns are streams to read

template <index Bytes>
struct vector_of {
  using word = std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>;
  typedef word type __attribute__((vector_size(vector_bytes)));
  static constexpr int words = int{vector_bytes} / int{sizeof(word)};
  static constexpr int words_per_element = static_cast<int>(Bytes) / int{sizeof(word)};
};

/// Exchanges words K of `b` that lack bit `Distance` with words K + Distance of `a`.
template <int Distance, int Words, class Vector, std::size_t... K>
[[gnu::always_inline]] inline void exchange_words(Vector& a, Vector& b, std::index_sequence<K...>) {
  const Vector low = __builtin_shufflevector(a, b, ((K & Distance) != 0 ? Words + int{K} - Distance : int{K})...);
  const Vector high = __builtin_shufflevector(a, b, ((K & Distance) != 0 ? Words + int{K} : int{K} + Distance)...);
  a = low, b = high;
}

/// Transposes `N` vectors of `N` elements.
template <index Bytes, int N, int Step = 1, class Vector>
[[gnu::always_inline]] inline void transpose(Vector* v) {
  if constexpr (Step < N) {
    using shape = vector_of<Bytes>;
#pragma GCC unroll 16
    for (int i = 0; i < N; ++i)
      if ((i & Step) == 0)
        exchange_words<Step * shape::words_per_element, shape::words>(v[i], v[i + Step],
                                                                      std::make_index_sequence<shape::words>());
    transpose<Bytes, N, 2 * Step>(v);
  }
}

template <bool PastCaches, class Vector>
[[gnu::always_inline]] inline void store(std::byte* to, const Vector& v) {
#if defined(__SSE2__)
  if constexpr (PastCaches && vector_bytes == 16) return _mm_stream_si128(reinterpret_cast<__m128i*>(to), (__m128i)v);
#endif
#if defined(__AVX2__)
  if constexpr (PastCaches && vector_bytes == 32)
    return _mm256_stream_si256(reinterpret_cast<__m256i*>(to), (__m256i)v);
#endif
#if defined(__AVX512F__)
  if constexpr (PastCaches && vector_bytes == 64)
    return _mm512_stream_si512(reinterpret_cast<__m512i*>(to), (__m512i)v);
#endif
  std::memcpy(to, &v, sizeof(v));
}

/// One line of as many rows as a vector has elements.
template <index Bytes, bool PastCaches>
[[gnu::always_inline]] inline void copy_tile(std::byte* to, index to_step, const std::byte* from, index from_step) {
  constexpr int n = static_cast<int>(vector_bytes / Bytes);
  constexpr int groups = static_cast<int>(line_bytes / vector_bytes);
  typename vector_of<Bytes>::type v[groups][n];
#pragma GCC unroll 16
  for (int g = 0; g < groups; ++g)
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i) {
      const std::byte* const at = from + (g * n + i) * from_step;
      __builtin_prefetch(at + lines_ahead * line_bytes);
      std::memcpy(&v[g][i], at, vector_bytes);
    }
#pragma GCC unroll 16
  for (int g = 0; g < groups; ++g) transpose<Bytes, n>(v[g]);
#pragma GCC unroll 16
  for (int i = 0; i < n; ++i)
#pragma GCC unroll 16
    for (int g = 0; g < groups; ++g) store<PastCaches>(to + i * to_step + g * vector_bytes, v[g][i]);
}

template <index Bytes>
void copy_elements(const plane& p, index first_row, index first_column, index last_column) {
  for (index i = first_row; i < p.rows; ++i) {
    std::byte* to = p.to + i * p.to_step + first_column * Bytes;
    const std::byte* from = p.from + i * Bytes + first_column * p.from_step;
    for (index j = first_column; j < last_column; ++j, to += Bytes, from += p.from_step) std::memcpy(to, from, Bytes);
  }
}

template <index Bytes, bool PastCaches>
void copy_tiles(const plane& p, index first_column) {
  constexpr index tall = vector_bytes / Bytes, wide = line_bytes / Bytes, block = bytes_at_a_time / Bytes;
  const index whole_rows = p.rows / tall * tall,
              whole_columns = first_column + (p.columns - first_column) / wide * wide;
  for (index b = first_column; b < whole_columns; b += block) {
    const index end = b + block < whole_columns ? b + block : whole_columns;
    for (index i = 0; i < whole_rows; i += tall)
      for (index j = b; j < end; j += wide)
        copy_tile<Bytes, PastCaches>(p.to + i * p.to_step + j * Bytes, p.to_step, p.from + j * p.from_step + i * Bytes,
                                     p.from_step);
  }
  copy_elements<Bytes>(p, 0, 0, first_column);
  copy_elements<Bytes>(p, whole_rows, first_column, whole_columns);
  copy_elements<Bytes>(p, 0, whole_columns, p.columns);
}

template <index Bytes>
void copy_plane(const plane& p, index, bool past_caches) {
  const index ahead = -static_cast<index>(reinterpret_cast<std::uintptr_t>(p.to)) & (line_bytes - 1);
  const bool starts_lines = p.to_step % line_bytes == 0 && ahead % Bytes == 0 && ahead / Bytes <= p.columns;
  if (!starts_lines) return copy_tiles<Bytes, false>(p, 0);
  past_caches ? copy_tiles<Bytes, true>(p, ahead / Bytes) : copy_tiles<Bytes, false>(p, ahead / Bytes);
}

plane_kernel find_kernel(index element_bytes) {
  switch (element_bytes) {
    case 4:
      return copy_plane<4>;
    case 8:
      return copy_plane<8>;
    case 16:
      return copy_plane<16>;
    case 32:
      return vector_bytes >= 32 ? copy_plane < 32 <= vector_bytes ? 32 : 16 > : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace nearfar::exchange
