// SPDX-License-Identifier: BSD-3-Clause
// Non-temporal stores: writing memory that another processor reads next, without fetching the line from its cache.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>
#include <cstring>

namespace nearfar {
struct team_state;
}

namespace nearfar::near {

/// Copies `bytes` bytes with non-temporal stores ("past the caches"), if the processor has them; else like memcpy.
///
/// An ordinary store to a line that another processor has read waits until that processor's cache has given the line
/// up. These stores do not wait; the next reader gets the data from memory or from the last-level cache. Before others
/// may read it, call finish_past_caches(). Ranges must not overlap.
void copy_past_caches(std::byte* to, const std::byte* from, index_t bytes) noexcept;

/// Orders this thread's non-temporal stores before its next release store: who acquires that one sees them.
void finish_past_caches() noexcept;

/// Whether `bytes`, which each rank of the node uses at a time, exceed its share of the last-level cache. False if that
/// is not known.
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
