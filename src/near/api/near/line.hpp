// SPDX-License-Identifier: BSD-3-Clause
// Small messages as cache lines of 56 bytes of data and their epoch: one transfer of a line, no separate signal.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>
#include <cstdint>

namespace nearfar::near {

inline constexpr index_t line_payload_bytes = 56;

struct alignas(64) line {
  std::uint64_t words[8];  ///< words[7] is the epoch
};

constexpr index_t lines_for(index_t bytes) noexcept { return (bytes + line_payload_bytes - 1) / line_payload_bytes; }

/// Asks for a line that this processor will write soon.
inline void expect_writing(const void* at) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));
#else
  __builtin_prefetch(at, 1);
#endif
}

/// How lines are stored and loaded on this machine. The source idea is the LL128 protocol of GPU collective libraries.
struct line_kernel {
  const char* name;
  /// Writes lines_for(bytes) lines. Reads exactly `bytes` bytes of `from`.
  void (*write)(line* to, const std::byte* from, index_t bytes, std::uint64_t epoch);
  /// Reads on from line `next`; returns the first line that has not arrived (lines_for(bytes) when all have).
  index_t (*read)(const line* from, std::byte* to, index_t bytes, std::uint64_t epoch, index_t next);
};

/// Eight 8-byte words, the epoch last with release order: right on every machine.
const line_kernel& word_lines();

/// Whole lines by one 64-byte store and load; null where the processor has none. Needs lines to be seen whole, which
/// processors with such stores do but do not promise: `are_lines_whole` tests it.
const line_kernel* wide_lines();

/// Writer's and reader's part of the self-test: `rounds` lines whose eight words must be seen equal. The reader returns
/// false if it ever saw a mixed line. Both run at the same time on two ranks; each gives up after `limit_s` seconds.
void write_test_lines(line* shared, std::uint64_t rounds, double limit_s);
bool are_lines_whole(const line* shared, std::uint64_t rounds, double limit_s);

}  // namespace nearfar::near
