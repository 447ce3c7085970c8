// SPDX-License-Identifier: BSD-3-Clause
// A team: the ranks that work together, and which of them are near (same node) or far.
#pragma once

#include <memory>
#include <nearfar/api.hpp>
#include <nearfar/mpi.hpp>
#include <string>
#include <utility>

namespace nearfar {

struct team_state;  // internal: topology/team_state.hpp

/// How a team looks at its machine.
struct team_options {
  /// Ranks per pretend node: each real node is cut into nodes of this many consecutive ranks. 0 takes NEARFAR_NODE_SIZE
  /// from the environment, or the real nodes where that is not set.
  int node_size = 0;
};

/// The ranks of a communicator, sorted into nodes. Copies share one state.
///
/// A communicator of the same ranks is made once here, without the caller's attributes. All that is made of a team
/// keeps it alive.
///
/// Threads: one at a time calls what belongs to one team (its grids, fields, plans, streams, collective calls), and one
/// that may call MPI at the level of thread support that the program asked for. Local questions that change nothing may
/// be asked by any thread. Several threads at once take a team each, and MPI_THREAD_MULTIPLE.
class NEARFAR_API team {
 public:
  /// Finds out who is near. Collective over `comm`.
  /// @throws usage_error if MPI is not initialised or not the one that the library was built with, or node sizes
  ///         disagree or are negative
  /// @cost a few collectives; O(ranks of this node) memory
  explicit team(MPI_Comm comm, team_options options = {});

  int rank() const noexcept;       ///< this rank in the team
  int size() const noexcept;       ///< ranks in the team
  int node() const noexcept;       ///< number of this rank's node, 0 … nodes()-1, by lowest rank
  int nodes() const noexcept;      ///< nodes in the team
  int near_rank() const noexcept;  ///< this rank among the ranks of its node
  int near_size() const noexcept;  ///< ranks on this node
  /// Whether this is rank 0.
  bool is_root() const noexcept { return rank() == 0; }
  bool is_near(int rank) const noexcept;  ///< true for ranks of this node, this rank included
  MPI_Comm comm() const noexcept;         ///< the library's own; do not send on it
  std::string describe() const;           ///< a line per fact: nodes, ranks, cores, MPI; local

 private:
  friend struct internals;
  explicit team(std::shared_ptr<team_state> state) noexcept : state_(std::move(state)) {}
  std::shared_ptr<team_state> state_;
};

/// MPI_Init_thread … MPI_Finalize as an object, for programs that have nothing else to initialise.
class NEARFAR_API runtime {
 public:
  runtime(int& argc, char**& argv);  ///< MPI_Init_thread with MPI_THREAD_FUNNELED, unless MPI is initialised already
  ~runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  /// A team of all ranks; collective.
  team world() const { return team(MPI_COMM_WORLD); }
};

/// Ends all ranks of MPI_COMM_WORLD with MPI_Abort, for a rank whose peers may wait for it in calls that cannot return.
///
/// What this rank has printed comes through: both streams of C are flushed, and the launcher gets half a second to pass
/// them on before it hears of the end (mpiexec of MPICH 4.0 else drops them in one run out of 40). Local; does not
/// return. Before MPI_Init and after MPI_Finalize it ends this process alone.
[[noreturn]] NEARFAR_API void end_job(int code);

}  // namespace nearfar
