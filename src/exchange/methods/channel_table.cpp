// SPDX-License-Identifier: BSD-3-Clause
// Sorting flows into channels and laying out their memory.
#include "channel_table.hpp"

#include <algorithm>
#include <near/signal.hpp>
#include <tuple>

namespace nearfar::exchange {

namespace {

constexpr index_t signal_bytes = sizeof(near::signal);
constexpr index_t place_alignment = 64;

constexpr index_t aligned(index_t bytes) { return (bytes + place_alignment - 1) / place_alignment * place_alignment; }

}  // namespace

const far_flow& channel::find(bool is_outgoing, int source, int target) const {
  return *std::find_if(flows.begin(), flows.end(), [&](const far_flow& f) {
    return (f.is_outgoing != 0) == is_outgoing && f.source == source && f.target == target;
  });
}

bool channel::involves(int near_rank, bool is_outgoing) const {
  return std::any_of(flows.begin(), flows.end(), [&](const far_flow& f) {
    return f.near_rank == near_rank && (f.is_outgoing != 0) == is_outgoing;
  });
}

std::vector<channel> make_channels(std::vector<far_flow> flows, int near_size, bool has_parts) {
  std::sort(flows.begin(), flows.end(), [](const far_flow& a, const far_flow& b) {
    return std::tie(a.remote_node, a.part, a.source, a.target) < std::tie(b.remote_node, b.part, b.source, b.target);
  });
  std::vector<channel> channels;
  for (far_flow f : flows) {
    if (channels.empty() || channels.back().remote_node != f.remote_node || channels.back().part != f.part) {
      channel& l = channels.emplace_back();
      l.remote_node = f.remote_node;
      l.part = f.part;
      l.owner = (has_parts ? f.part : static_cast<int>(channels.size() - 1)) % near_size;
    }
    channel& l = channels.back();
    index_t& end = f.is_outgoing != 0 ? l.send_bytes : l.receive_bytes;
    f.place = end;
    end += aligned(f.bytes);
    l.flows.push_back(f);
  }
  return channels;
}

channel_layout make_channel_layout(const std::vector<channel>& channels, int near_rank, int near_size) {
  channel_layout y;
  index_t at = 0;
  const auto reserve = [&at](index_t bytes) {
    const index_t place = at;
    at += bytes;
    return place;
  };
  y.closed = reserve(near_size * signal_bytes);
  for (const channel& l : channels) {
    y.sent.push_back(reserve(signal_bytes));
    y.arrived.push_back(reserve(signal_bytes));
    const bool is_owner = l.owner == near_rank;
    y.packed.push_back(is_owner ? reserve(near_size * signal_bytes) : -1);
    y.taken.push_back(is_owner ? reserve(near_size * signal_bytes) : -1);
    y.send_slots.push_back(is_owner ? reserve(2 * l.send_bytes) : -1);
    y.receive_slots.push_back(is_owner ? reserve(2 * l.receive_bytes) : -1);
  }
  y.bytes = at;
  return y;
}

}  // namespace nearfar::exchange
