// SPDX-License-Identifier: BSD-3-Clause
// Movement through the rings: senders copy pieces in, some steps ahead of the receivers, which copy them out.
#pragma once

#include <collective/algorithm.hpp>
#include <near/past_caches.hpp>

#include "movement.hpp"

namespace nearfar::collective {

inline constexpr index_t least_unit_bytes = 8 << 10;

/// Moves all blocks, within a call of the node segment: every near rank comes here with the same `largest`, kind and
/// cut. Each step takes cut.unit bytes (a power of two) of every ring and holds a piece of each block that a rank
/// sends. (cut.ahead + 2) * cut.unit must fit into the ring; then no order of arrival can deadlock: a rank that waits
/// for space waits for ranks that are behind it, and for these everything that they read is published already.
void stream(node_segment& h, const movement& m, piece_cut cut);

/// Even blocks, with the workspace's cut.
void move_by_ring(workspace& work, const job& j);

/// The lock-step of stream(), for those that do something else with the pieces: calls contribute(step, position)
/// `ahead` steps before consume(step, position), for steps 0 … steps - 1, and gives the room back after it.
template <class Contribute, class Consume>
void run_steps(node_segment& h, index_t steps, piece_cut cut, Contribute contribute, Consume consume) {
  constexpr index_t kept = most_ahead + 1;
  std::uint64_t position[kept];
  for (index_t k = 0; k < steps + cut.ahead; ++k) {
    if (k < steps) {
      position[k % kept] = h.reserve(cut.unit);
      contribute(k, position[k % kept]);
    }
    if (k < cut.ahead) continue;
    const std::uint64_t at = position[(k - cut.ahead) % kept];
    consume(k - cut.ahead, at);
    h.take(at + static_cast<std::uint64_t>(cut.unit));
  }
}

/// Copies piece `k`, of at most `piece` bytes and `place_bytes` apart, of every block that this rank sends into its
/// ring and publishes it.
void contribute_pieces(node_segment& h, const movement& m, index_t k, index_t piece, index_t place_bytes,
                       std::uint64_t at, piece_cut cut);

}  // namespace nearfar::collective
