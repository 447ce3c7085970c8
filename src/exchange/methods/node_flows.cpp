// SPDX-License-Identifier: BSD-3-Clause
// Near ranks exchange the descriptions of their flows.
#include "node_flows.hpp"

#include <base/internals.hpp>
#include <far/talk.hpp>

namespace nearfar::exchange {

std::vector<far_flow> flows_of_node(context& c, peers which) {
  const team_state& s = state_of(c);
  std::vector<far_flow> mine;
  for (const flow* f : select(c.sends, which))
    mine.push_back({f->peer_node, 1, s.rank, f->peer, s.near_rank, 0, f->bytes, 0});
  for (const flow* f : select(c.receives, which))
    mine.push_back({f->peer_node, 0, f->peer, s.rank, s.near_rank, 0, f->bytes, 0});
  return far::all_of_node(c.members, mine);
}

}  // namespace nearfar::exchange
