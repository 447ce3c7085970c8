// SPDX-License-Identifier: BSD-3-Clause
// The messages of a collective call between the nodes of a modelled machine, by the schedules of running algorithms.
#pragma once

#include <collective/algorithm.hpp>
#include <string>
#include <topology/modelled_team.hpp>
#include <vector>

namespace nearfar::collective {

/// A message of one rank; those of one step do not wait for each other, and each step waits for the messages that the
/// rank receives in the step before.
struct step_message {
  int peer = 0;  ///< rank
  index_t bytes = 0;
  int step = 0;
  bool is_send = true;
  index_t piece = 0;  ///< of a long vector, from 0; the next one may begin before a piece is over
};

/// A call as far as its messages depend on it: the root is rank 0, the operation commutes.
struct modelled_call {
  kind what = kind::allreduce;
  index_t bytes = 8;  ///< as job::bytes: of one block, or of the whole vector in bcast and reductions
  index_t element_bytes = 8;
};

/// What choices depend on, of an equal machine with near memory.
setting setting_of(const node_shape& shape, const modelled_call& call);

/// The algorithm that is taken before anything was measured: its name, "mpi" where the call is left to the MPI.
std::string default_method(const node_shape& shape, const modelled_call& call);

/// Whether messages_of() knows the algorithm.
bool is_lowered(kind what, const std::string& method);

/// The messages between nodes of one rank in one call: barrier, allreduce, bcast, reduce, allgather by lanes, alltoall
/// by pairs. None where all ranks are near. Local; O(messages).
/// @throws usage_error  an algorithm whose messages are not known (is_lowered), or that does not serve the call
std::vector<step_message> messages_of(const node_shape& shape, int rank, const modelled_call& call,
                                      const std::string& method);

}  // namespace nearfar::collective
