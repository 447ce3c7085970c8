// SPDX-License-Identifier: BSD-3-Clause
// The messages of an exchange, without running it: bytes per peer, and the messages that a method makes of them, by
// the code of running plans.
#pragma once

#include <exchange/pattern.hpp>
#include <functional>
#include <string>
#include <topology/modelled_team.hpp>
#include <vector>

namespace nearfar::exchange {

/// All that goes one way between a rank and one peer.
struct flow_size {
  int peer = 0;
  index_t bytes = 0;
  index_t regions = 0;  ///< transfers of the pattern
  index_t runs = 0;     ///< contiguous pieces of this rank's memory
  index_t reach = 0;    ///< bytes of memory from the first piece to the last, of all regions; 0: not known
  bool operator==(const flow_size&) const = default;
};

/// What a rank sends and receives in one run, by ascending peer; this rank itself included.
struct rank_flows {
  std::vector<flow_size> sends, receives;
};

/// The flows of a pattern whose buffers need not be there. Local.
rank_flows flows_of(const pattern& what);

/// The same with `times` as many bytes and runs: fields that travel together.
rank_flows repeated(rank_flows flows, index_t times);

/// A message as MPI gets it.
struct message {
  int source = 0, target = 0;
  index_t bytes = 0;
  auto operator<=>(const message&) const = default;
};

/// The flows of any rank of the machine; asked for ranks of one node and of the nodes around it.
using flows_by_rank = std::function<rank_flows(int rank)>;

/// The messages that ranks of one node hand to MPI in one run, by sender. With the methods isend, persistent, neighbor,
/// parts, lanes, own-lanes and own-lanes-in-parts, for near peers isend, persistent and neighbor, and all near-… ones
/// (which send none); "A+B" as everywhere. Local. @throws usage_error for other methods, and names that nobody has
std::vector<message> messages_of(const node_shape& shape, int node, const std::string& method,
                                 const flows_by_rank& flows);

/// How often near flows are copied by the method: 0 where they are messages, 1 where they are read in place, else 2.
int near_copies(const std::string& method);

}  // namespace nearfar::exchange
