// SPDX-License-Identifier: BSD-3-Clause
// The reduction over nodes: one vector per node is combined, and all nodes get the result.
//
//   two nodes, or little data:  recursive doubling with whole vectors, log2(nodes) phases
//   otherwise, two phases:      node i gets part i of all vectors and combines it; then it sends the result to all
#pragma once

#include <algorithm>
#include <array>
#include <collective/inter_node.hpp>
#include <limits>
#include <reduction/reducer.hpp>
#include <span>
#include <vector>

namespace nearfar::collective {

/// Who sends which part to whom, phase by phase. With two phases each byte crosses the wire of a node about twice,
/// however many nodes there are.
struct inter_node_parts {
  int nodes = 1, node = 0;
  index_t count = 0, element_bytes = 1;
  std::span<const doubling_stage> doubling{};  ///< doubling_stages(nodes, node)

  bool is_doubling() const noexcept { return nodes == 2 || count * element_bytes <= most_doubling_bytes; }
  int phases() const noexcept { return is_doubling() ? static_cast<int>(doubling.size()) : 2; }
  index_t per_node() const noexcept { return (count + nodes - 1) / nodes; }
  index_t first_of(int part) const noexcept { return std::min(count, part * per_node()); }
  index_t count_of(int part) const noexcept { return first_of(part + 1) - first_of(part); }

  /// Calls receive(peer node, first element, elements) and send() alike, in the order in which they are posted.
  template <class Receive, class Send>
  void for_messages(int phase, Receive receive, Send send) const {
    if (is_doubling()) {
      const doubling_stage& stage = doubling[as_size(phase)];
      if (stage.receives) receive(stage.peer, index_t{0}, count);
      if (stage.sends) send(stage.peer, index_t{0}, count);
      return;
    }
    for (int i = 1; i < nodes; ++i) {
      const int peer = (node + i) % nodes, arriving = phase == 0 ? node : peer, leaving = phase == 0 ? peer : node;
      if (count_of(arriving) > 0) receive(peer, first_of(arriving), count_of(arriving));
      if (count_of(leaving) > 0) send(peer, first_of(leaving), count_of(leaving));
    }
  }

 private:
  static constexpr index_t most_doubling_bytes = 8 << 10;  // with three nodes and more
};

/// Polled, never waited for, so that near work continues meanwhile. Every element is combined in the order of the
/// nodes, and all nodes get the same bits.
///
/// Several may be in flight: each is advanced no further than the one that started before it, so that messages with the
/// same tag match in order.
class inter_node_reduction {
 public:
  static constexpr int any_phase = std::numeric_limits<int>::max();

  /// `data` holds this node's part and gets the result; `scratch` is as large. Collective over the lane.
  void start(const inter_node& between, int lane, const reduction::reducer& op, std::byte* data, std::byte* scratch,
             index_t count);
  /// True when the result is there. `limit` is the phase() of the reduction that started before.
  bool advance(int limit = any_phase);
  int phase() const noexcept { return phase_; }  ///< any_phase when over

 private:
  void begin_phase();
  void end_phase();
  void end_exchange(const doubling_stage& stage);
  void combine_parts();
  /// Where what arrives in this phase is to go.
  std::byte* place_of(int peer, index_t first) const noexcept;
  std::byte* part_from(int node) const noexcept { return scratch_ + node * parts_.per_node() * parts_.element_bytes; }

  const inter_node* between_ = nullptr;
  const reduction::reducer* op_ = nullptr;
  std::byte *data_ = nullptr, *scratch_ = nullptr;
  inter_node_parts parts_;
  int lane_ = 0, phase_ = any_phase;
  std::vector<MPI_Request> requests_;
  std::vector<const std::byte*> from_;
};

/// The bytes of scratch that an inter-node reduction of `count` elements needs.
index_t scratch_for_inter_node_reduction(const inter_node& between, index_t count, index_t element_bytes);

/// Starts and waits.
void reduce_between_nodes(node_segment& h, const inter_node& between, int lane, const reduction::reducer& op,
                          std::byte* data, std::byte* scratch, index_t count);

}  // namespace nearfar::collective
