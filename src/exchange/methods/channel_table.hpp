// SPDX-License-Identifier: BSD-3-Clause
// Which near rank owns the channel to which other node, and where in its messages each flow is. Both nodes of a pair
// compute the same places from what each knows by itself.
#pragma once

#include <base/numbers.hpp>
#include <cstdint>
#include <near/segment_layout.hpp>
#include <near/signal.hpp>
#include <vector>

namespace nearfar::exchange {

/// A flow of some rank of this node, to or from a far rank (with the leaders also a near one).
struct far_flow {
  std::int32_t remote_node;
  std::int32_t is_outgoing;
  std::int32_t source, target;  ///< team ranks
  std::int32_t near_rank;       ///< of the end on this node
  std::int32_t part = 0;        ///< which of the messages to or from that node it travels in
  std::int64_t bytes;
  std::int64_t place = 0;  ///< in the channel's message; filled by channel_table
};

/// All traffic with one other node, or that part of it which one rank of either node sends.
struct channel {
  int remote_node = 0;
  int owner = 0;  ///< near rank
  int part = 0;   ///< 0 where one message has it all; else the near rank, on its node, of who sends
  int sends_to = -1, receives_from = -1;  ///< team ranks that carry it on the other node
  index_t send_bytes = 0, receive_bytes = 0;
  std::vector<far_flow> flows;  ///< by source, then target

  const far_flow& find(bool is_outgoing, int source, int target) const;
  bool involves(int near_rank, bool is_outgoing) const;
};

/// Where things lie in the near memory of each rank; every near rank computes the layout of every other.
struct channel_layout {
  std::vector<near::part<near::signal>> sent;     ///< per channel: its owner has sent epoch n
  std::vector<near::part<near::signal>> arrived;  ///< per channel: its owner has received epoch n
  // In the owner's block only:
  std::vector<near::part<near::signal>> packed;    ///< per channel: a signal per near rank
  std::vector<near::part<near::signal>> taken;     ///< per channel: a signal per near rank
  std::vector<index_t> send_slots, receive_slots;  ///< per channel: two messages each
  index_t bytes = 0;
};

/// Channels of this node by ascending remote node and part. `flows` are those of all near ranks. Near ranks own one
/// after the other, or those whose part has their number.
std::vector<channel> make_channels(std::vector<far_flow> flows, int near_size, bool has_parts = false);

/// Layout of the block of one near rank.
channel_layout make_channel_layout(const std::vector<channel>& channels, int near_rank, int near_size);

}  // namespace nearfar::exchange
