// SPDX-License-Identifier: BSD-3-Clause
// What of the last-level cache is one rank's.
#include <near/past_caches.hpp>
#include <topology/cache_size.hpp>
#include <topology/team_state.hpp>

namespace nearfar::near {

namespace {

/// If all ranks of the node use it alike; 0 where it is not known.
index cache_share(const team_state& s) noexcept {
  const index group_ranks = (s.near_size + as_index(s.cache_groups.size()) - 1) / as_index(s.cache_groups.size());
  return last_level_cache_bytes() / group_ranks;
}

}  // namespace

bool fills_caches(const team_state& members, index bytes) noexcept {
  const index share = cache_share(members);
  return share > 0 && bytes > share;
}

}  // namespace nearfar::near
