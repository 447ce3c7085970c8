// SPDX-License-Identifier: BSD-3-Clause
// A signal: an epoch alone on its cache line, written by one rank and read by one.
#pragma once

#include <atomic>
#include <cstdint>

namespace nearfar::near {

inline constexpr std::size_t cache_line_bytes = 64;

/// Lives in near memory that starts as zeros; epochs count from 1.
struct alignas(cache_line_bytes) signal {
  std::atomic<std::uint64_t> epoch;

  /// Release: whatever the writer stored before is seen by the reader that finds the epoch here (pairs with
  /// has_reached).
  void set(std::uint64_t value) noexcept { epoch.store(value, std::memory_order_release); }

  /// Acquire: pairs with set.
  bool has_reached(std::uint64_t value) const noexcept { return epoch.load(std::memory_order_acquire) >= value; }
};
static_assert(sizeof(signal) == cache_line_bytes && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace nearfar::near
