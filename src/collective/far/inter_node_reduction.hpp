// SPDX-License-Identifier: BSD-3-Clause
// A vector on its way between the nodes: what each node has is combined, and all get the result.
#pragma once

#include <array>
#include <collective/inter_node.hpp>
#include <limits>
#include <reduction/reducer.hpp>
#include <vector>

namespace nearfar::collective {

/// Polled, never waited for, so that near work goes on meanwhile. Every element is combined in the order of the nodes,
/// and all nodes get the same bits. Two nodes, or little data: recursive doubling. Else each node combines a part of
/// the vector (each byte crosses the wire of a node about twice, however many nodes there are).
///
/// Several may be in flight: each is advanced no further than the one that started before it, so that messages pair up.
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
  void begin_exchange(const doubling_stage& stage);
  void end_exchange(const doubling_stage& stage);
  void send_parts();
  void combine_parts();
  void send_results();
  index_t first_of(int node) const noexcept { return std::min(count_, node * per_node_); }
  index_t count_of(int node) const noexcept { return first_of(node + 1) - first_of(node); }
  std::byte* part_from(int node) const noexcept { return scratch_ + node * per_node_ * element_; }

  const inter_node* between_ = nullptr;
  const reduction::reducer* op_ = nullptr;
  std::byte *data_ = nullptr, *scratch_ = nullptr;
  index_t count_ = 0, element_ = 1, per_node_ = 0;
  int lane_ = 0, phase_ = any_phase, phases_ = 0;
  bool is_doubling_ = true;
  std::vector<MPI_Request> requests_;
  std::vector<const std::byte*> parts_;
};

/// The bytes of scratch that an inter-node reduction of `count` elements needs.
index_t scratch_for_inter_node_reduction(const inter_node& between, index_t count, index_t element_bytes);

/// Starts and waits.
void reduce_between_nodes(node_segment& h, const inter_node& between, int lane, const reduction::reducer& op,
                          std::byte* data, std::byte* scratch, index_t count);

}  // namespace nearfar::collective
