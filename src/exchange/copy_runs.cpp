// SPDX-License-Identifier: BSD-3-Clause
// The inner loop of all packing: many short runs. A library memcpy per run costs more than the run itself, so runs of
// the sizes that halos have are copied by inlined vector moves.
#include <cstring>

#include "copy.hpp"

namespace nearfar::exchange {

namespace {

constexpr index_t longest_inlined_run = 1024;
constexpr index_t cache_line = 64;
constexpr index_t runs_ahead = 8;  // strided runs lie on pages of their own, which hardware does not fetch ahead

template <std::size_t Bytes>
void copy_fixed(std::byte* to, index_t to_step, const std::byte* from, index_t from_step, index_t count) {
  for (index_t i = 0; i < count; ++i, to += to_step, from += from_step) std::memcpy(to, from, Bytes);
}

/// Blocks of `Block` bytes; the last block ends with the run and may overlap the one before.
template <index_t Block>
[[gnu::always_inline]] inline void copy_blocks(std::byte* to, index_t to_step, const std::byte* from, index_t from_step,
                                               index_t count, index_t run_bytes) {
  const index_t last = run_bytes - Block;
  for (index_t i = 0; i < count; ++i, to += to_step, from += from_step) {
    for (index_t at = 0; at < run_bytes; at += cache_line) __builtin_prefetch(from + runs_ahead * from_step + at);
    for (index_t at = 0; at < last; at += Block) std::memcpy(to + at, from + at, as_size(Block));
    std::memcpy(to + last, from + last, as_size(Block));
  }
}

void copy_blocks_16(std::byte* to, index_t to_step, const std::byte* from, index_t from_step, index_t count,
                    index_t run_bytes) {
  copy_blocks<16>(to, to_step, from, from_step, count, run_bytes);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void copy_blocks_32(std::byte* to, index_t to_step, const std::byte* from, index_t from_step,
                                            index_t count, index_t run_bytes) {
  copy_blocks<32>(to, to_step, from, from_step, count, run_bytes);
}
const bool has_32_byte_moves = __builtin_cpu_supports("avx2") != 0;
#endif

void copy_any(std::byte* to, index_t to_step, const std::byte* from, index_t from_step, index_t count,
              index_t run_bytes) {
  for (index_t i = 0; i < count; ++i, to += to_step, from += from_step) std::memcpy(to, from, as_size(run_bytes));
}

}  // namespace

void copy_runs(std::byte* to, index_t to_step, const std::byte* from, index_t from_step, index_t count,
               index_t run_bytes) {
  switch (run_bytes) {
    case 1:
      return copy_fixed<1>(to, to_step, from, from_step, count);
    case 2:
      return copy_fixed<2>(to, to_step, from, from_step, count);
    case 4:
      return copy_fixed<4>(to, to_step, from, from_step, count);
    case 8:
      return copy_fixed<8>(to, to_step, from, from_step, count);
    case 12:
      return copy_fixed<12>(to, to_step, from, from_step, count);
    case 16:
      return copy_fixed<16>(to, to_step, from, from_step, count);
    case 24:
      return copy_fixed<24>(to, to_step, from, from_step, count);
    default:
      break;
  }
  if (run_bytes < 16 || run_bytes > longest_inlined_run)
    return copy_any(to, to_step, from, from_step, count, run_bytes);
#if defined(__x86_64__)
  if (run_bytes >= 32 && has_32_byte_moves) return copy_blocks_32(to, to_step, from, from_step, count, run_bytes);
#endif
  copy_blocks_16(to, to_step, from, from_step, count, run_bytes);
}

}  // namespace nearfar::exchange
