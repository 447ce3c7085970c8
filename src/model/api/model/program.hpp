// SPDX-License-Identifier: BSD-3-Clause
// What ranks do in one operation, as lists: computing, copies, messages, notices between near ranks.
#pragma once

#include <base/numbers.hpp>
#include <topology/modelled_team.hpp>
#include <vector>

namespace nearfar::model {

enum class action {
  compute,  ///< of so many microseconds; copies are that, too
  send,     ///< goes on at once
  receive,  ///< waits for the peer's next message on this path
  barrier,  ///< of the ranks of the node, in log2(ranks) rounds
};

/// By which a message travels.
enum class path {
  far,           ///< MPI between nodes
  near_message,  ///< MPI between near ranks
  near_notice,   ///< a flag or a line in near memory; bytes are copied by `compute`
};

struct operation {
  action what = action::compute;
  path by = path::far;
  int peer = 0;
  index_t bytes = 0;
  double us = 0;  ///< of compute, or of a barrier's round
};

/// A barrier by signals (rounds of near.notice_us) or by the MPI (near.barrier_round_us).
inline operation node_barrier(double round_us) { return {.what = action::barrier, .us = round_us}; }

struct rank_program {
  int rank = 0;
  std::vector<operation> operations;
};

/// Of all ranks, or of the ranks of some nodes: what comes from the others is taken to be sent at their start.
struct program {
  node_shape shape;
  std::vector<rank_program> ranks;
};

}  // namespace nearfar::model
