// SPDX-License-Identifier: BSD-3-Clause
// The table of ranks and nodes, and the orders that follow from it.
#include <algorithm>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <bit>
#include <collective/inter_node.hpp>
#include <set>
#include <topology/team_state.hpp>

namespace nearfar::collective {

namespace {

constexpr std::uint64_t sends_between_answers = 32;

}  // namespace

tree make_tree(int nodes, int node, int root, tree_shape shape) {
  tree t;
  const int place = (node - root + nodes) % nodes;
  const auto node_at = [&](int p) { return (p + root) % nodes; };
  if (shape == tree_shape::star) {
    if (place > 0) t.parent = root;
    for (int p = 1; place == 0 && p < nodes; ++p) t.children.push_back(node_at(p));
  } else if (shape == tree_shape::chain) {
    if (place > 0) t.parent = node_at(place - 1);
    if (place + 1 < nodes) t.children.push_back(node_at(place + 1));
  } else {
    if (place > 0) t.parent = node_at(place & (place - 1));
    const int below = place == 0 ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(nodes))) : place & -place;
    for (int bit = below >> 1; bit > 0; bit >>= 1)
      if (place + bit < nodes) t.children.push_back(node_at(place + bit));
  }
  return t;
}

inter_node::inter_node(const team& members)
    : members_(members),
      first_tag_(state_of(members).next_tags()),
      nodes_(members.nodes()),
      node_(members.node()),
      lanes_(std::min(state_of(members).smallest_node, most_lanes)) {
  list_ranks(members);
  doubling_ = doubling_stages(nodes_, node_);
}

void inter_node::list_ranks(const team& members) {
  const int size = members.size();
  const int mine[2] = {members.node(), members.near_rank()};
  std::vector<int> all(2 * as_size(size));
  watched_mpi("MPI_Allgather", [&] { return MPI_Allgather(mine, 2, MPI_INT, all.data(), 2, MPI_INT, members.comm()); });
  node_of_.resize(as_size(size));
  near_rank_of_.resize(as_size(size));
  first_.assign(as_size(nodes_) + 1, 0);
  for (std::size_t r = 0; r < as_size(size); ++r) {
    node_of_[r] = all[2 * r];
    near_rank_of_[r] = all[2 * r + 1];
    ++first_[as_size(node_of_[r]) + 1];
  }
  for (std::size_t n = 0; n < as_size(nodes_); ++n) first_[n + 1] += first_[n];
  ranks_.resize(as_size(size));
  for (int r = 0; r < size; ++r) ranks_[as_size(first_[as_size(node_of(r))] + near_rank_of(r))] = r;
}

std::vector<doubling_stage> doubling_stages(int nodes, int node) {
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(nodes)));
  const int pairs = nodes - power;
  const bool is_paired = node < 2 * pairs;
  if (is_paired && node % 2 == 0) return {{node + 1, true, false}, {node + 1, false, true, true}};
  std::vector<doubling_stage> stages;
  if (is_paired) stages.push_back({node - 1, false, true});
  const int place = is_paired ? node / 2 : node - pairs;
  for (int bit = 1; bit < power; bit <<= 1) {
    const int other = place ^ bit;
    stages.push_back({other < pairs ? 2 * other + 1 : other + pairs, true, true});
  }
  if (is_paired) stages.push_back({node - 1, true, false});
  return stages;
}

const tree& inter_node::tree_from(int root_node, tree_shape shape) {
  known_tree& known = trees_[static_cast<int>(shape)];
  if (known.root != root_node) known = {root_node, make_tree(nodes_, node_, root_node, shape)};
  return known.branches;
}

int inter_node::address_of(int peer) const noexcept {
  latest_peers_[messages_++ % remembered] = peer;
  return state_of(members_).in_messages(peer);
}

MPI_Request inter_node::send(const void* data, index_t bytes, int to, int channel) const {
  MPI_Request made = MPI_REQUEST_NULL;
  check_mpi(MPI_Isend(data, checked_int(bytes, "a message between nodes (bytes)"), MPI_BYTE, address_of(to),
                      first_tag_ + channel, state_of(members_).messages, &made),
            "MPI_Isend");
  return made;
}

MPI_Request inter_node::send_ahead(const void* data, index_t bytes, int to, int channel) {
  if (++sent_ahead_ % sends_between_answers != 0) return send(data, bytes, to, channel);
  MPI_Request made = MPI_REQUEST_NULL;
  check_mpi(MPI_Issend(data, checked_int(bytes, "a message between nodes (bytes)"), MPI_BYTE, address_of(to),
                       first_tag_ + channel, state_of(members_).messages, &made),
            "MPI_Issend");
  return made;
}

MPI_Request inter_node::receive(void* data, index_t bytes, int from, int channel) const {
  MPI_Request made = MPI_REQUEST_NULL;
  check_mpi(MPI_Irecv(data, checked_int(bytes, "a message between nodes (bytes)"), MPI_BYTE, address_of(from),
                      first_tag_ + channel, state_of(members_).messages, &made),
            "MPI_Irecv");
  return made;
}

std::string inter_node::describe_peers() const {
  std::set<int> peers;
  for (std::size_t i = 0; i < std::min<std::uint64_t>(messages_, remembered); ++i)
    if (node_of(latest_peers_[i]) != node_) peers.insert(latest_peers_[i]);
  std::string ranks;
  for (const int peer : peers) ranks += text(ranks.empty() ? "rank " : ", rank ", peer);
  return ranks.empty() ? "other nodes" : text("other nodes (latest messages with ", ranks, ")");
}

bool are_over(std::span<MPI_Request> requests) {
  int is_over = 1;
  if (!requests.empty())
    check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &is_over, MPI_STATUSES_IGNORE),
              "MPI_Testall");
  return is_over != 0;
}

void finish_messages(node_segment& h, std::span<MPI_Request> requests) {
  if (!are_over(requests)) h.wait_in_mpi([&] { return are_over(requests); });
}

}  // namespace nearfar::collective
