// SPDX-License-Identifier: BSD-3-Clause
// Movement through the rings: senders copy pieces in, some steps ahead of the receivers, which copy them out.
#pragma once

#include <collective/algorithm.hpp>
#include <near/past_caches.hpp>

#include "movement.hpp"

namespace nearfar::collective {

inline constexpr index_t least_unit_bytes = 8 << 10;

/// One way to cut blocks into pieces: each step takes `unit` bytes (a power of two) of every ring and holds a piece of
/// each block that a rank sends; writers are `ahead` steps before readers. (ahead + 2) * unit must fit into the ring;
/// then no order of arrival can deadlock: a rank that waits for space waits for ranks that are behind it, and for these
/// everything that they read is published already.
struct ring_cut {
  index_t unit;
  int ahead;
  near::stores how = near::stores::ordinary;  ///< of the writers
};

/// Moves all blocks, within a call of the node segment: every near rank comes here with the same `largest`, kind and
/// cut.
void stream(node_segment& h, const movement& m, ring_cut cut);

template <index_t unit, int ahead, near::stores how = near::stores::ordinary>
void move_by_ring(workspace& work, const job& j) {
  static_assert((ahead + 2) * unit <= ring_bytes);
  node_segment& h = *work.near;
  h.begin();
  const movement m = movement_of(j, h.rank(), h.size());
  stream(h, m, {unit, ahead, how});
  end_call(h, m);
}

/// The lock-step of stream(), for those that do something else with the pieces: calls contribute(step, position)
/// `ahead` steps before consume(step, position), for steps 0 … steps - 1, and gives the room back after it.
template <class Contribute, class Consume>
void run_steps(node_segment& h, index_t steps, ring_cut cut, Contribute contribute, Consume consume) {
  constexpr index_t most_ahead = 8;
  std::uint64_t position[most_ahead];
  for (index_t k = 0; k < steps + cut.ahead; ++k) {
    if (k < steps) {
      position[k % most_ahead] = h.reserve(cut.unit);
      contribute(k, position[k % most_ahead]);
    }
    if (k < cut.ahead) continue;
    const std::uint64_t at = position[(k - cut.ahead) % most_ahead];
    consume(k - cut.ahead, at);
    h.take(at + static_cast<std::uint64_t>(cut.unit));
  }
}

/// Copies piece `k`, of at most `piece` bytes and `place_bytes` apart, of every block that this rank sends into its
/// ring and publishes it.
void contribute_pieces(node_segment& h, const movement& m, index_t k, index_t piece, index_t place_bytes,
                       std::uint64_t at, ring_cut cut);

}  // namespace nearfar::collective
