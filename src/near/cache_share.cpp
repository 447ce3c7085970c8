// SPDX-License-Identifier: BSD-3-Clause
// A rank's share of the last-level cache.
#include <near/past_caches.hpp>
#include <topology/team_state.hpp>

namespace nearfar::near {

bool fills_caches(const team_state& members, index_t bytes) noexcept {
  return members.cache_share_bytes > 0 && bytes > members.cache_share_bytes;
}

}  // namespace nearfar::near
