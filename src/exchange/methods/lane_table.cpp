// SPDX-License-Identifier: BSD-3-Clause
// Sorting flows into lanes and laying out their memory.
#include "lane_table.hpp"

#include <algorithm>
#include <tuple>

namespace nearfar::exchange {

namespace {

constexpr index_t place_alignment = 64;

constexpr index_t aligned(index_t bytes) { return (bytes + place_alignment - 1) / place_alignment * place_alignment; }

}  // namespace

const far_flow& lane::find(bool is_outgoing, int source, int target) const {
  return *std::find_if(flows.begin(), flows.end(), [&](const far_flow& f) {
    return (f.is_outgoing != 0) == is_outgoing && f.source == source && f.target == target;
  });
}

bool lane::involves(int near_rank, bool is_outgoing) const {
  return std::any_of(flows.begin(), flows.end(), [&](const far_flow& f) {
    return f.near_rank == near_rank && (f.is_outgoing != 0) == is_outgoing;
  });
}

std::vector<lane> make_lanes(std::vector<far_flow> flows, int near_size, bool has_parts) {
  std::sort(flows.begin(), flows.end(), [](const far_flow& a, const far_flow& b) {
    return std::tie(a.remote_node, a.part, a.source, a.target) < std::tie(b.remote_node, b.part, b.source, b.target);
  });
  std::vector<lane> lanes;
  for (far_flow f : flows) {
    if (lanes.empty() || lanes.back().remote_node != f.remote_node || lanes.back().part != f.part) {
      lane& l = lanes.emplace_back();
      l.remote_node = f.remote_node;
      l.part = f.part;
      l.owner = (has_parts ? f.part : static_cast<int>(lanes.size() - 1)) % near_size;
    }
    lane& l = lanes.back();
    index_t& end = f.is_outgoing != 0 ? l.send_bytes : l.receive_bytes;
    f.place = end;
    end += aligned(f.bytes);
    l.flows.push_back(f);
  }
  return lanes;
}

lane_layout make_lane_layout(const std::vector<lane>& lanes, int near_rank, int near_size) {
  lane_layout y;
  near::segment_layout all;
  for (const lane& l : lanes) {
    y.sent.push_back(all.add<near::signal>());
    y.arrived.push_back(all.add<near::signal>());
    const bool is_owner = l.owner == near_rank;
    const auto reserve = [&](index_t bytes) { return is_owner ? all.add<std::byte>(bytes).at : -1; };
    y.packed.push_back(all.add<near::signal>(is_owner ? near_size : 0));
    y.taken.push_back(all.add<near::signal>(is_owner ? near_size : 0));
    y.send_slots.push_back(reserve(2 * l.send_bytes));
    y.receive_slots.push_back(reserve(2 * l.receive_bytes));
  }
  y.bytes = all.bytes();
  return y;
}

}  // namespace nearfar::exchange
