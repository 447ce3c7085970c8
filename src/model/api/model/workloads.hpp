// SPDX-License-Identifier: BSD-3-Clause
// Programs of the library's plans on machines that are not there, and the memory that the plans hold.
#pragma once

#include <collective/lowering.hpp>
#include <exchange/lowering.hpp>
#include <model/machine.hpp>
#include <model/program.hpp>
#include <string>
#include <vector>

namespace nearfar::model {

/// The ranks of at most so many nodes, evenly spread, the first and the last among them.
std::vector<int> sampled_ranks(const node_shape& shape, int most_nodes);

/// What one rank has to do with its peers in one exchange.
struct rank_traffic {
  int far_messages = 0, near_messages = 0, near_flows = 0;  ///< sent
  index_t far_bytes = 0, near_bytes = 0;                    ///< sent
  index_t plan_bytes = 0;  ///< buffers and tables of the plan: grows with neighbours, not with ranks
};

/// One exchange by a method of the engine: messages as that method sends them, far ones first, near flows meanwhile.
/// Ranks that lanes send for wait for their node before sending and after receiving (running lanes wait for those who
/// contribute only).
class exchange_workload {
 public:
  exchange_workload(const node_shape& shape, std::string method, exchange::flows_by_rank flows, int most_nodes = 64);

  const std::vector<int>& ranks() const noexcept { return ranks_; }
  /// Appends one exchange to the programs, of the sampled ranks in their order.
  void append(std::vector<rank_program>& to, const machine& m) const;
  program once(const machine& m) const;
  rank_traffic traffic_of(int rank) const;  ///< @throws usage_error  a rank that is not sampled
  rank_traffic busiest() const;             ///< the most of each, of the sampled ranks
  const std::vector<exchange::message>& messages() const noexcept { return messages_; }

 private:
  void append_one(std::vector<operation>& to, const machine& m, std::size_t sample) const;
  node_shape shape_;
  std::string method_;
  int near_copies_;
  bool are_lanes_;
  std::vector<int> ranks_;
  std::vector<exchange::rank_flows> flows_;         ///< of the sampled ranks
  std::vector<exchange::message> messages_;         ///< from and to sampled nodes, by sender
  std::vector<std::vector<std::size_t>> in_, out_;  ///< numbers of messages of each sampled rank
};

/// One collective call between the nodes by the named algorithm, with the copies within the nodes; all ranks. On one
/// node: the copies alone.
program collective_program(const node_shape& shape, const collective::modelled_call& call, const std::string& method,
                           const machine& m);

/// A step of an output stream: every rank copies its bytes into its node's frame, from which one writer per node takes
/// them to disk while the ranks compute. Nothing travels between nodes.
struct output_step {
  double copy_us = 0;   ///< that the ranks wait
  double write_us = 0;  ///< that the writers need; what is longer than the computing between steps is waited for
};
output_step output_times(const node_shape& shape, index_t bytes_per_rank, const machine& m);

}  // namespace nearfar::model
