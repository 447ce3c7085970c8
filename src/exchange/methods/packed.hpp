// SPDX-License-Identifier: BSD-3-Clause
// Common to the message-passing methods: a packed buffer per flow.
#pragma once

#include <far/message_type.hpp>
#include <far/request_list.hpp>
#include <string>
#include <vector>

#include "../transport.hpp"

namespace nearfar::exchange {

/// A flow and the contiguous memory that its message lies in; made when the plan is made, never while it runs.
struct packed_flow {
  flow* f;
  std::vector<std::byte> own;
  std::byte* buffer;
  far::message_type type;

  bool is_sent;

  explicit packed_flow(flow* of, bool is_outgoing);
  /// The flow's pieces have moved.
  void rebind();
  void pack() {
    if (is_staged()) f->pack_into(buffer);
  }
  void deliver() {
    if (is_staged()) f->unpack_from(buffer);
  }
  /// False where the message is one contiguous piece that is sent from or received into its place.
  bool is_staged() const noexcept { return !own.empty(); }
};

std::vector<packed_flow> packed(const std::vector<flow*>& flows, bool is_outgoing);

}  // namespace nearfar::exchange
