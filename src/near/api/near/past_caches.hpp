// SPDX-License-Identifier: BSD-3-Clause
// Writing memory that another processor reads next, without asking its cache for the line first.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>
#include <cstring>

namespace nearfar {
struct team_state;
}

namespace nearfar::near {

/// Copies `bytes` bytes with stores that go past the caches, where the processor has such stores; else like memcpy.
///
/// A line that another processor has read can be written only after that processor has given it up, and ordinary stores
/// wait for this line by line. These do not; whoever reads the data next gets it from memory or from the last-level
/// cache. Before others may read it, call finish_past_caches(). Ranges must not overlap.
void copy_past_caches(std::byte* to, const std::byte* from, index_t bytes) noexcept;

/// What this thread copied past the caches is seen by whoever acquires what this thread releases next.
void finish_past_caches() noexcept;

/// Whether so many bytes that each rank of the node uses at a time are more than its share of the last-level cache.
/// False where that is not known.
bool fills_caches(const team_state& members, index_t bytes) noexcept;

/// How memory that others will read is written. Which is faster depends on what caches the writer and its readers
/// share.
enum class stores : bool { ordinary, past_caches };

inline void copy(stores how, std::byte* to, const std::byte* from, index_t bytes) noexcept {
  if (how == stores::ordinary)
    std::memcpy(to, from, as_size(bytes));
  else
    copy_past_caches(to, from, bytes);
}

/// Before others are told.
inline void finish(stores how) noexcept {
  if (how == stores::past_caches) finish_past_caches();
}

}  // namespace nearfar::near
