// SPDX-License-Identifier: BSD-3-Clause
// Transposition of tiles in registers, for vectors of `vector_bytes` bytes, which each instruction set's file defines
// before it includes this.
//
// A tile is as wide as a cache line on the destination's side and as long as a vector on the source's: it reads whole
// vectors, exchanges elements between them in log2 steps, and writes whole lines. With vectors of a line's length it
// reads whole lines as well, so that strides that are powers of two (whose lines meet in few sets of a cache) cost
// nothing.
#include <array>
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

constexpr index_t line_bytes = 64;

// Both orders of tiles are measured, with double complex and 2 ranks. Stores past the caches, 128^3 and 256^3: 16
// columns side by side, whose lines meet in few sets of a cache, with lines asked for within a column only, take 1.15
// to 1.35 times as long as these. Ordinary stores, 64^3: half lines of rows at a time take up to twice as long as long
// pieces of them.
constexpr index_t lines_ahead =
    4;  // past the caches: of a column, asked for before their turn; then of the next columns
constexpr index_t bytes_past_caches = 128;  // of a row, before the next rows: as many columns are streams to read
constexpr index_t bytes_at_a_time = 1024;   // ordinary stores: of a row, before the next rows
constexpr index_t bytes_of_layers = 256;    // the same where the next layer comes before the next rows and columns
constexpr index_t lines_at_a_time = 2;      // ordinary stores: of a column, before the next columns
constexpr index_t tiles_ahead = 2;          // ordinary stores: asked for before their turn
constexpr index_t run_bytes_ahead = 4096;

template <index_t Bytes>
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
template <index_t Bytes, int N, int Step = 1, class Vector>
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

/// One line of as many rows as a vector has elements. What lies at `soon`, in the same shape as at `from`, is asked
/// for.
template <index_t Bytes, bool PastCaches>
[[gnu::always_inline]] inline void copy_tile(std::byte* to, index_t to_step, const std::byte* from,
                                             const std::byte* soon, index_t from_step) {
  constexpr int n = static_cast<int>(vector_bytes / Bytes);
  constexpr int groups = static_cast<int>(line_bytes / vector_bytes);
  typename vector_of<Bytes>::type v[groups][n];
#pragma GCC unroll 16
  for (int g = 0; g < groups; ++g)
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i) {
      __builtin_prefetch(soon + (g * n + i) * from_step);
      std::memcpy(&v[g][i], from + (g * n + i) * from_step, vector_bytes);
    }
#pragma GCC unroll 16
  for (int g = 0; g < groups; ++g) transpose<Bytes, n>(v[g]);
#pragma GCC unroll 16
  for (int i = 0; i < n; ++i)
#pragma GCC unroll 16
    for (int g = 0; g < groups; ++g) store<PastCaches>(to + i * to_step + g * vector_bytes, v[g][i]);
}

template <index_t Bytes>
void copy_elements(const plane& p, index_t first_row, index_t first_column, index_t last_column) {
  for (index_t i = first_row; i < p.rows; ++i) {
    std::byte* to = p.to + i * p.to_step + first_column * Bytes;
    const std::byte* from = p.from + i * Bytes + first_column * p.from_step;
    for (index_t j = first_column; j < last_column; ++j, to += Bytes, from += p.from_step) std::memcpy(to, from, Bytes);
  }
}

/// Shape of tiles, in elements.
template <index_t Bytes>
struct tile {
  static constexpr index_t tall = vector_bytes / Bytes, wide = line_bytes / Bytes;
};

/// Whole tiles of some columns, by stores past the caches. `next`: the columns after these.
template <index_t Bytes>
void copy_columns_past_caches(const plane& p, const std::byte* next, index_t rows) {
  using shape = tile<Bytes>;
  const index_t row_bytes = rows * Bytes;
  for (index_t i = 0; i < rows; i += shape::tall) {
    const index_t ahead = i * Bytes + lines_ahead * line_bytes;
    const std::byte* const soon = ahead < row_bytes ? p.from + ahead : next + (ahead - row_bytes);
    for (index_t j = 0; j < p.columns; j += shape::wide)
      copy_tile<Bytes, true>(p.to + i * p.to_step + j * Bytes, p.to_step, p.from + j * p.from_step + i * Bytes,
                             soon + j * p.from_step, p.from_step);
  }
}

/// By stores past the caches, whole lines from `first_column` on.
template <index_t Bytes>
void copy_tiles_past_caches(const plane& p, index_t first_column) {
  using shape = tile<Bytes>;
  constexpr index_t block = bytes_past_caches / Bytes;
  const index_t whole_rows = p.rows / shape::tall * shape::tall,
                whole_columns = first_column + (p.columns - first_column) / shape::wide * shape::wide;
  for (index_t b = first_column; b < whole_columns; b += block) {
    plane part = p;
    part.to += b * Bytes, part.from += b * p.from_step;
    part.columns = whole_columns - b < block ? whole_columns - b : block;
    const bool is_last = b + part.columns == whole_columns;
    const std::byte* const after = p.next_from != nullptr ? p.next_from : part.from;
    copy_columns_past_caches<Bytes>(part, is_last ? after : part.from + block * p.from_step, whole_rows);
  }
  copy_elements<Bytes>(p, 0, 0, first_column);
  copy_elements<Bytes>(p, whole_rows, first_column, whole_columns);
  copy_elements<Bytes>(p, 0, whole_columns, p.columns);
}

/// Where tiles start along one side of a plane: the first at the edge, the others on lines, the last so that it ends
/// with the plane. They reach back over what has been copied where less than a tile is left: element by element that
/// takes several times as long.
class tile_starts {
 public:
  /// `count` elements, at least one tile of them; `ahead` before the first whole line.
  tile_starts(index_t count, index_t size, index_t ahead)
      : last_(count - size), size_(size), first_(ahead > 0 ? ahead - size : 0) {
    number_ = (count - first_ + size - 1) / size;
  }
  index_t number() const { return number_; }
  index_t operator[](index_t i) const {
    const index_t at = first_ + i * size_;
    return at < 0 ? 0 : at < last_ ? at : last_;
  }

 private:
  index_t last_, size_, first_, number_ = 0;
};

constexpr index_t lines_deep(index_t element_bytes) { return lines_at_a_time * line_bytes / element_bytes; }

/// The tiles of some columns, `begin` up to `end` of them, by ordinary stores.
template <index_t Bytes>
void copy_columns(const plane& p, const tile_starts& rows, const tile_starts& columns, index_t begin, index_t end) {
  constexpr index_t deep = lines_deep(Bytes), at_a_time = deep / tile<Bytes>::tall;
  for (index_t first = 0; first < rows.number(); first += at_a_time) {
    const index_t last = first + at_a_time < rows.number() ? first + at_a_time : rows.number();
    for (index_t c = begin; c < end; ++c) {
      const bool is_soon_here = c + tiles_ahead < end;
      const index_t soon_column = columns[is_soon_here ? c + tiles_ahead : c + tiles_ahead - (end - begin)];
      const index_t soon = (soon_column - columns[c]) * p.from_step + (is_soon_here ? 0 : deep * Bytes);
      for (index_t r = first; r < last; ++r) {
        const std::byte* const from = p.from + columns[c] * p.from_step + rows[r] * Bytes;
        copy_tile<Bytes, false>(p.to + rows[r] * p.to_step + columns[c] * Bytes, p.to_step, from, from + soon,
                                p.from_step);
      }
    }
  }
}

/// The same of all layers: few tiles of one, then these of the next one, whose lines lie close by. Those of further
/// rows and columns lie far apart and would meet in few sets of a cache. Within a layer line after line of a row: the
/// other order takes a third longer.
template <index_t Bytes>
void copy_columns_of_layers(const plane& p, const tile_starts& rows, const tile_starts& columns, index_t begin,
                            index_t end) {
  constexpr index_t at_a_time = lines_deep(Bytes) / tile<Bytes>::tall, most = bytes_of_layers / line_bytes;
  const index_t to_step = p.to_step, from_step = p.from_step, next = p.from_layer_step, count = end - begin;
  std::array<index_t, most> to_column{}, from_column{};
  for (index_t c = 0; c < count; ++c)
    to_column[as_size(c)] = columns[begin + c] * Bytes, from_column[as_size(c)] = columns[begin + c] * from_step;
  for (index_t first = 0; first < rows.number(); first += at_a_time) {
    const index_t last = first + at_a_time < rows.number() ? first + at_a_time : rows.number();
    for (index_t layer = 0; layer < p.layers; ++layer)
      for (index_t r = first; r < last; ++r) {
        std::byte* const to = p.to + layer * p.to_layer_step + rows[r] * to_step;
        const std::byte* const from = p.from + layer * next + rows[r] * Bytes;
        for (index_t c = 0; c < count; ++c) {
          const std::byte* const here = from + from_column[as_size(c)];
          copy_tile<Bytes, false>(to + to_column[as_size(c)], to_step, here, here + next, from_step);
        }
      }
  }
}

inline index_t bytes_to_next_line(const std::byte* at) {
  return -static_cast<index_t>(reinterpret_cast<std::uintptr_t>(at)) & (line_bytes - 1);
}

/// Elements before the first whole line, of memory whose next rows or columns start alike in lines; 0 where lines
/// cannot be met.
template <index_t Bytes>
index_t elements_to_next_line(const std::byte* at, index_t step) {
  const index_t ahead = bytes_to_next_line(at);
  return step % line_bytes == 0 && ahead % Bytes == 0 ? ahead / Bytes : 0;
}

template <index_t Bytes>
void copy_tiles(const plane& p) {
  using shape = tile<Bytes>;
  const index_t at_a_time = (p.layers > 1 ? bytes_of_layers : bytes_at_a_time) / line_bytes;
  const tile_starts rows(p.rows, shape::tall, elements_to_next_line<Bytes>(p.from, p.from_step) % shape::tall),
      columns(p.columns, shape::wide, elements_to_next_line<Bytes>(p.to, p.to_step));
  for (index_t b = 0; b < columns.number(); b += at_a_time) {
    const index_t end = b + at_a_time < columns.number() ? b + at_a_time : columns.number();
    p.layers > 1 ? copy_columns_of_layers<Bytes>(p, rows, columns, b, end)
                 : copy_columns<Bytes>(p, rows, columns, b, end);
  }
}

template <index_t Bytes>
void copy_plane(const plane& p, index_t, bool past_caches) {
  using shape = tile<Bytes>;
  const index_t ahead = bytes_to_next_line(p.to);
  const bool starts_lines = p.to_step % line_bytes == 0 && ahead % Bytes == 0 && ahead / Bytes <= p.columns;
  const bool has_tiles = p.rows >= shape::tall && p.columns >= shape::wide;
  if (p.layers > 1 && (!has_tiles || past_caches))
    for_layers(p, [&](const plane& layer) { copy_plane<Bytes>(layer, Bytes, past_caches); });
  else if (past_caches && starts_lines)
    copy_tiles_past_caches<Bytes>(p, ahead / Bytes);
  else if (has_tiles)
    copy_tiles<Bytes>(p);
  else
    copy_elements<Bytes>(p, 0, 0, p.columns);
}

/// What will be read so many bytes later, in this run or in a later one, is asked for: hardware does not follow from
/// run to run.
void copy_runs_past_caches(const run_list& r) {
  const index_t lead = run_bytes_ahead < r.run_bytes ? run_bytes_ahead : r.run_bytes;
  const index_t next_run = (run_bytes_ahead + r.run_bytes - 1) / r.run_bytes * r.from_step;
  std::byte* to = r.to;
  const std::byte* from = r.from;
  for (index_t i = 0; i < r.count; ++i, to += r.to_step, from += r.from_step) {
    const std::byte* const later = from + (lead < r.run_bytes ? r.from_step : next_run) - r.run_bytes;
    const index_t head = bytes_to_next_line(to) < r.run_bytes ? bytes_to_next_line(to) : r.run_bytes;
    std::memcpy(to, from, as_size(head));
    index_t at = head;
    for (; r.run_bytes - at >= line_bytes; at += line_bytes) {
      const index_t soon = at + lead;
      __builtin_prefetch(soon < r.run_bytes ? from + soon : later + soon);
#pragma GCC unroll 4
      for (index_t part = 0; part < line_bytes; part += vector_bytes) {
        vector_of<8>::type v;
        std::memcpy(&v, from + at + part, vector_bytes);
        store<true>(to + at + part, v);
      }
    }
    std::memcpy(to + at, from + at, as_size(r.run_bytes - at));
  }
}

plane_kernel find_kernel(index_t element_bytes) {
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
