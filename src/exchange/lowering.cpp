// SPDX-License-Identifier: BSD-3-Clause
// Flows by peer, and messages by method; of channels by the table of running exchanges.
#include <algorithm>
#include <base/text.hpp>
#include <cstdlib>
#include <exchange/lowering.hpp>
#include <far/eager.hpp>
#include <limits>
#include <map>
#include <nearfar/error.hpp>

#include "copy.hpp"
#include "methods/channel_table.hpp"
#include "methods/isend.hpp"
#include "transport.hpp"

namespace nearfar::exchange {

namespace {

constexpr index_t uncut = std::numeric_limits<index_t>::max();

index_t reach_of(const walk& w) {
  index_t reach = w.run_bytes;
  for (int l = 0; l < w.loops; ++l) reach += (w.counts[as_size(l)] - 1) * std::abs(w.steps[as_size(l)]);
  return reach;
}

std::vector<flow_size> sizes_by_peer(const std::vector<transfer>& transfers) {
  std::map<int, flow_size> by_peer;
  for (const transfer& t : transfers) {
    flow_size& f = by_peer[t.peer];
    f.peer = t.peer;
    f.bytes += t.where.bytes();
    f.regions += 1;
    const walk w = make_walk(nullptr, t.where);
    f.runs += w.runs();
    f.reach += reach_of(w);
  }
  std::vector<flow_size> sizes;
  for (const auto& [peer, size] : by_peer) sizes.push_back(size);
  return sizes;
}

/// "A+B", or one name for both where it can, else isend.
struct method_pair {
  std::string near, far;
  explicit method_pair(const std::string& method) {
    const auto plus = method.find('+');
    near = method.substr(0, plus), far = plus == std::string::npos ? near : method.substr(plus + 1);
    const bool is_one = plus == std::string::npos;
    if (!entry_named(near).about.near) near = is_one ? "isend" : refuse(near, "near");
    if (!entry_named(far).about.far) far = is_one ? "isend" : refuse(far, "far");
  }
  static std::string refuse(const std::string& name, const char* which) {
    throw usage_error(text("method '", name, "' does not serve ", which, " peers"));
  }
};

bool sends_plainly(const std::string& name) { return name == "isend" || name == "persistent" || name == "neighbor"; }
bool is_in_place(const std::string& name) {
  return name.starts_with("near-direct") || name == "near-cma" || name == "node-barrier";
}
bool is_lanes(const std::string& name) { return is_through_near_ranks(name); }

void add_parts(std::vector<message>& all, int source, int target, index_t bytes, index_t most_bytes) {
  for (index_t left = bytes; left > 0; left -= std::min(left, most_bytes))
    all.push_back({source, target, std::min(left, most_bytes)});
}

class channel_lowering {
 public:
  channel_lowering(const node_shape& shape, const flows_by_rank& flows, bool are_own)
      : shape_(shape), flows_(flows), are_own_(are_own) {}

  void add(std::vector<message>& all, int node, index_t most_bytes) {
    for (const channel& l : channels_of(node))
      add_parts(all, shape_.first_of(node) + l.owner, receiver(l, node), l.send_bytes, most_bytes);
  }

 private:
  int receiver(const channel& l, int node) {
    const int first = shape_.first_of(l.remote_node);
    if (are_own_) return first + l.part % shape_.size_of(l.remote_node);
    for (const channel& theirs : channels_of(l.remote_node))
      if (theirs.remote_node == node) return first + theirs.owner;
    throw usage_error(text("the flows between nodes ", node, " and ", l.remote_node, " differ at their ends"));
  }

  const std::vector<channel>& channels_of(int node) {
    const auto known = channels_.find(node);
    if (known != channels_.end()) return known->second;
    std::vector<far_flow> flows;
    for (int near_rank = 0; near_rank < shape_.size_of(node); ++near_rank) {
      const int rank = shape_.first_of(node) + near_rank;
      const rank_flows own = flows_(rank);
      for (const flow_size& f : own.sends) add_far(flows, {0, 1, rank, f.peer, near_rank, near_rank, f.bytes}, f.peer);
      for (const flow_size& f : own.receives)
        add_far(flows, {0, 0, f.peer, rank, near_rank, f.peer - shape_.first_of(shape_.node_of(f.peer)), f.bytes},
                f.peer);
    }
    return channels_[node] = make_channels(std::move(flows), shape_.size_of(node), are_own_);
  }

  void add_far(std::vector<far_flow>& flows, far_flow f, int peer) const {
    f.remote_node = shape_.node_of(peer);
    if (f.remote_node == shape_.node_of(f.is_outgoing != 0 ? f.source : f.target)) return;
    if (!are_own_) f.part = 0;
    flows.push_back(f);
  }

  const node_shape& shape_;
  const flows_by_rank& flows_;
  bool are_own_;
  std::map<int, std::vector<channel>> channels_;
};

}  // namespace

rank_flows flows_of(const pattern& what) { return {sizes_by_peer(what.sends), sizes_by_peer(what.receives)}; }

rank_flows repeated(rank_flows flows, index_t times) {
  for (auto* list : {&flows.sends, &flows.receives})
    for (flow_size& f : *list) f.bytes *= times, f.regions *= times, f.runs *= times, f.reach *= times;
  return flows;
}

std::vector<message> messages_of(const node_shape& shape, int node, const std::string& method,
                                 const flows_by_rank& flows) {
  const method_pair names(method);
  const bool parts = names.far == "parts", lanes = is_lanes(names.far);
  if (!sends_plainly(names.far) && !parts && !lanes)
    throw usage_error(text("messages of method '", names.far, "' are not modelled; of isend, persistent, neighbor, ",
                           "parts, lanes, own-lanes and own-lanes-in-parts they are"));
  if (!sends_plainly(names.near) && near_copies(names.near) == 0)
    throw usage_error(text("messages between near ranks of method '", names.near, "' are not modelled"));
  std::vector<message> all;
  for (int rank = shape.first_of(node); rank < shape.first_of(node) + shape.size_of(node); ++rank)
    for (const flow_size& f : flows(rank).sends) {
      const bool is_far = shape.node_of(f.peer) != node;
      if (f.peer == rank || (is_far ? lanes : !sends_plainly(names.near))) continue;
      add_parts(all, rank, f.peer, f.bytes, is_far && parts ? longest_part_bytes : uncut);
    }
  if (lanes)
    channel_lowering(shape, flows, names.far != "lanes")
        .add(all, node, names.far == "own-lanes-in-parts" ? far::longest_eager_bytes : uncut);
  std::stable_sort(all.begin(), all.end(), [](const message& a, const message& b) { return a.source < b.source; });
  return all;
}

int near_copies(const std::string& method) {
  const std::string near = method_pair(method).near;
  if (is_in_place(near)) return 1;
  return near.starts_with("near-") ? 2 : 0;
}

}  // namespace nearfar::exchange
