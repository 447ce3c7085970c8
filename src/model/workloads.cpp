// SPDX-License-Identifier: BSD-3-Clause
// From flows to lists of operations.
#include <algorithm>
#include <base/text.hpp>
#include <cmath>
#include <map>
#include <model/workloads.hpp>
#include <nearfar/error.hpp>
#include <numeric>
#include <set>

namespace nearfar::model {

namespace {

/// Of a flow and of a region in the tables of a plan, both ends' facts and the walk: about so much.
constexpr index_t flow_table_bytes = 200, region_table_bytes = 400;

copied copied_of(const exchange::flow_size& f, bool is_of_peer) {
  return {static_cast<double>(f.bytes), static_cast<double>(f.runs), static_cast<double>(f.reach), is_of_peer};
}

operation computing(double us) { return {.what = action::compute, .us = us}; }

bool is_self(const exchange::flow_size& f, int rank) { return f.peer == rank; }

}  // namespace

std::vector<int> sampled_ranks(const node_shape& shape, int most_nodes) {
  const int nodes = std::min(shape.nodes(), std::max(most_nodes, 1));
  std::set<int> chosen;
  for (int i = 0; i < nodes; ++i)
    chosen.insert(nodes == 1 ? 0 : static_cast<int>(std::int64_t{i} * (shape.nodes() - 1) / (nodes - 1)));
  std::vector<int> ranks;
  for (const int node : chosen)
    for (int r = 0; r < shape.size_of(node); ++r) ranks.push_back(shape.first_of(node) + r);
  return ranks;
}

exchange_workload::exchange_workload(const node_shape& shape, std::string method, exchange::flows_by_rank flows,
                                     int most_nodes)
    : shape_(shape),
      method_(std::move(method)),
      near_copies_(exchange::near_copies(method_)),
      are_lanes_(method_.find("lanes") != std::string::npos),
      ranks_(sampled_ranks(shape, most_nodes)),
      in_(ranks_.size()),
      out_(ranks_.size()) {
  std::map<int, exchange::rank_flows> known;  // methods ask for the same ranks again and again
  const exchange::flows_by_rank remembered = [&](int rank) {
    const auto found = known.find(rank);
    return found != known.end() ? found->second : known[rank] = flows(rank);
  };
  std::set<int> asked;
  for (const int r : ranks_) {
    flows_.push_back(remembered(r));
    asked.insert(shape.node_of(r));
  }
  const auto sample_of = [&](int rank) {
    const auto found = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
    return found != ranks_.end() && *found == rank ? found - ranks_.begin() : -1;
  };
  const auto add = [&](const exchange::message& m) {
    const auto from = sample_of(m.source), to = sample_of(m.target);
    if (from >= 0) out_[static_cast<std::size_t>(from)].push_back(messages_.size());
    if (to >= 0) in_[static_cast<std::size_t>(to)].push_back(messages_.size());
    if (from >= 0 || to >= 0) messages_.push_back(m);
  };
  // What comes from other nodes is known at this end; only lanes' messages are made there.
  if (are_lanes_) {
    for (const auto& list : flows_)
      for (const auto& f : list.receives) asked.insert(shape.node_of(f.peer));
  } else {
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      for (const auto& f : flows_[i].receives)
        if (sample_of(f.peer) < 0) add({f.peer, ranks_[i], f.bytes});
  }
  for (const int node : asked)
    for (const exchange::message& m : exchange::messages_of(shape, node, method_, remembered)) add(m);
  for (auto& list : in_)
    std::stable_sort(list.begin(), list.end(),
                     [&](std::size_t a, std::size_t b) { return messages_[a].source < messages_[b].source; });
}

void exchange_workload::append_one(std::vector<operation>& to, const machine& m, std::size_t sample) const {
  const int rank = ranks_[sample], node = shape_.node_of(rank), near_ranks = shape_.size_of(node);
  const auto& flows = flows_[sample];
  const auto is_far = [&](int peer) { return shape_.node_of(peer) != node; };
  const auto add_copies = [&](const std::vector<exchange::flow_size>& list, bool of_far, bool of_peer = false) {
    double us = 0;
    for (const auto& f : list)
      if (is_far(f.peer) == of_far && !is_self(f, rank)) us += m.copy_us(copied_of(f, of_peer), near_ranks);
    if (us > 0) to.push_back(computing(us));
  };
  const auto add_own_copies = [&] {  // what a rank sends to itself is copied in place by every method
    for (const auto& f : flows.sends)
      if (is_self(f, rank)) to.push_back(computing(m.copy_us(copied_of(f, false), near_ranks)));
  };
  const auto by_of = [&](int peer) { return is_far(peer) ? path::far : path::near_message; };
  const auto add_messages = [&](bool is_sending) {
    for (const std::size_t i : is_sending ? out_[sample] : in_[sample]) {
      const exchange::message& x = messages_[i];
      const int peer = is_sending ? x.target : x.source;
      to.push_back({is_sending ? action::send : action::receive, by_of(peer), peer, x.bytes, 0});
    }
  };
  const bool meets = are_lanes_ && shape_.nodes() > 1 && near_ranks > 1;
  add_copies(flows.sends, true);
  if (near_copies_ == 0) add_copies(flows.sends, false);
  if (meets) to.push_back(node_barrier(m.near.notice_us));
  add_messages(true);
  add_own_copies();
  if (near_copies_ > 0) {
    if (near_copies_ == 2) add_copies(flows.sends, false);
    for (const auto& f : flows.sends)
      if (!is_far(f.peer) && !is_self(f, rank)) to.push_back({action::send, path::near_notice, f.peer, f.bytes, 0});
    for (const auto& f : flows.receives)
      if (!is_far(f.peer) && !is_self(f, rank)) to.push_back({action::receive, path::near_notice, f.peer, f.bytes, 0});
    add_copies(flows.receives, false, true);
  }
  add_messages(false);
  if (meets) to.push_back(node_barrier(m.near.notice_us));
  add_copies(flows.receives, true);
  if (near_copies_ == 0) add_copies(flows.receives, false);
}

void exchange_workload::append(std::vector<rank_program>& to, const machine& m) const {
  for (std::size_t i = 0; i < ranks_.size(); ++i) append_one(to[i].operations, m, i);
}

program exchange_workload::once(const machine& m) const {
  program p{shape_, {}};
  for (const int r : ranks_) p.ranks.push_back({r, {}});
  append(p.ranks, m);
  return p;
}

rank_traffic exchange_workload::traffic_of(int rank) const {
  const auto found = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
  if (found == ranks_.end() || *found != rank)
    throw usage_error(text("rank ", rank, " is not among the sampled ranks"));
  const auto sample = static_cast<std::size_t>(found - ranks_.begin());
  rank_traffic t;
  for (const std::size_t i : out_[sample]) {
    const bool is_far = shape_.node_of(messages_[i].target) != shape_.node_of(rank);
    (is_far ? t.far_messages : t.near_messages) += 1;
    t.plan_bytes += messages_[i].bytes * (are_lanes_ && is_far ? 2 : 1);
  }
  for (const std::size_t i : in_[sample]) {
    const bool is_far = shape_.node_of(messages_[i].source) != shape_.node_of(rank);
    t.plan_bytes += messages_[i].bytes * (are_lanes_ && is_far ? 2 : 1);
  }
  for (const auto& f : flows_[sample].sends) {
    if (is_self(f, rank)) continue;
    const bool is_far = shape_.node_of(f.peer) != shape_.node_of(rank);
    (is_far ? t.far_bytes : t.near_bytes) += f.bytes;
    if (!is_far && near_copies_ > 0) t.near_flows += 1;
    if (!is_far && near_copies_ == 2) t.plan_bytes += 2 * f.bytes;
  }
  for (const auto* list : {&flows_[sample].sends, &flows_[sample].receives})
    for (const auto& f : *list) t.plan_bytes += flow_table_bytes + f.regions * region_table_bytes;
  return t;
}

rank_traffic exchange_workload::busiest() const {
  rank_traffic most;
  for (const int r : ranks_) {
    const rank_traffic t = traffic_of(r);
    most.far_messages = std::max(most.far_messages, t.far_messages);
    most.near_messages = std::max(most.near_messages, t.near_messages);
    most.near_flows = std::max(most.near_flows, t.near_flows);
    most.far_bytes = std::max(most.far_bytes, t.far_bytes);
    most.near_bytes = std::max(most.near_bytes, t.near_bytes);
    most.plan_bytes = std::max(most.plan_bytes, t.plan_bytes);
  }
  return most;
}

output_step output_times(const node_shape& shape, index_t bytes_per_rank, const machine& m) {
  const double node_bytes = static_cast<double>(bytes_per_rank) * shape.size_of(0);
  const double all_bytes = static_cast<double>(bytes_per_rank) * shape.ranks;
  return {m.copy_us({.bytes = static_cast<double>(bytes_per_rank)}, shape.size_of(0)),
          m.disk.open_us + 1e-3 * std::max(node_bytes / m.disk.node_gb_s, all_bytes / m.disk.all_gb_s)};
}

}  // namespace nearfar::model
