// SPDX-License-Identifier: BSD-3-Clause
// Between the nodes: where each rank is, messages to it, and the order of messages between nodes.
#pragma once

#include <array>
#include <base/numbers.hpp>
#include <collective/node_segment.hpp>
#include <nearfar/team.hpp>
#include <span>
#include <string>
#include <vector>

namespace nearfar::collective {

/// One exchange of a node in an all-to-all combination by recursive doubling.
struct doubling_stage {
  int peer;  ///< node
  bool sends, receives;
  bool is_final = false;  ///< what comes is the result; else it is combined with what is here
};

/// The stages of a node. Where the number of nodes is not a power of two, the first nodes pair up: the lower one hands
/// its part to the upper one and gets the result at the end. Partners hold the parts of consecutive nodes, so that
/// operations need not commute.
std::vector<doubling_stage> doubling_stages(int nodes, int node);

/// A tree over the nodes as this node sees it.
struct tree {
  int parent = -1;              ///< node; -1 at the root
  std::vector<int> children{};  ///< nodes; those with the largest subtrees first
};
enum class tree_shape { star, binomial, chain };
tree make_tree(int nodes, int node, int root, tree_shape shape);

/// Ranks with equal near rank on different nodes form a lane; the ranks with near rank 0 are the leaders. Messages go
/// point to point on the team's own communicator: the library makes no communicator between nodes. Two messages of one
/// pair of ranks on one channel arrive in the order in which they were sent, over all calls: so each algorithm sends
/// and receives in one order.
class inter_node {
 public:
  static constexpr int channels = 4;
  static constexpr int most_lanes = 16;

  /// Collective over the team. O(ranks) integers of memory. @throws transport_error
  explicit inter_node(const team& members);

  int nodes() const noexcept { return nodes_; }
  int node() const noexcept { return node_; }
  /// Near ranks that every node has, at most most_lanes: as many slices can cross between the nodes at a time.
  int lanes() const noexcept { return lanes_; }
  int near_size(int node) const noexcept { return first_[as_size(node) + 1] - first_[as_size(node)]; }
  int rank_of(int node, int near_rank) const noexcept { return ranks_[as_size(first_[as_size(node)] + near_rank)]; }
  int node_of(int rank) const noexcept { return node_of_[as_size(rank)]; }
  int near_rank_of(int rank) const noexcept { return near_rank_of_[as_size(rank)]; }
  /// The team's ranks of a node, in the order of near ranks.
  std::span<const int> ranks_of(int node) const noexcept {
    return {ranks_.data() + first_[as_size(node)], as_size(near_size(node))};
  }

  std::span<const doubling_stage> doubling() const noexcept { return doubling_; }
  /// Valid until the next request for a tree of this shape.
  const tree& tree_from(int root_node, tree_shape shape);

  MPI_Request send(const void* data, index_t bytes, int to, int channel = 0) const;
  /// For senders that never wait for an answer: now and then one message is sent so that it waits for its receiver,
  /// which bounds what piles up there.
  MPI_Request send_ahead(const void* data, index_t bytes, int to, int channel = 0);
  MPI_Request receive(void* data, index_t bytes, int from, int channel = 0) const;

  /// "other nodes", and the ranks that the latest messages were for and from. Local.
  std::string describe_peers() const;

 private:
  static constexpr std::size_t remembered = 8;
  int address_of(int peer) const noexcept;  ///< remembers the peer, too
  void list_ranks(const team& members);

  team members_;
  int first_tag_ = 0;
  int nodes_ = 1, node_ = 0, lanes_ = 1;
  std::uint64_t sent_ahead_ = 0;
  mutable std::uint64_t messages_ = 0;
  mutable std::array<int, remembered> latest_peers_{};
  std::vector<int> first_, ranks_, node_of_, near_rank_of_;
  std::vector<doubling_stage> doubling_;
  struct known_tree {
    int root = -1;
    tree branches;
  };
  known_tree trees_[3];
};

/// True when all are over. Never waits. @throws transport_error
bool are_over(std::span<MPI_Request> requests);

/// Waits with the node segment's patience, so that its watchdog can speak. @throws transport_error
void finish_messages(node_segment& h, std::span<MPI_Request> requests);

}  // namespace nearfar::collective
