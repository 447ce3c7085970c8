// SPDX-License-Identifier: BSD-3-Clause
// The state of a team, for the modules above.
#pragma once

#include <base/in_flight.hpp>
#include <base/numbers.hpp>
#include <functional>
#include <map>
#include <memory>
#include <nearfar/mpi_watch.hpp>
#include <nearfar/team.hpp>
#include <optional>
#include <span>
#include <string>
#include <typeindex>
#include <vector>

namespace nearfar {

struct team_state {
  MPI_Comm comm =
      MPI_COMM_NULL;  ///< private, of the caller's ranks, without attributes; of a subteam: the caller's own
  MPI_Comm node_comm = MPI_COMM_NULL;  ///< the near ranks, in order of near rank; null in a subteam
  MPI_Comm messages = MPI_COMM_NULL;   ///< for messages between two ranks: comm; of a subteam: that of the whole team
  std::optional<team> whole;           ///< of a subteam (topology/subteams.hpp)
  std::vector<int> ranks_in_whole;     ///< of a subteam, by its ranks
  int rank = 0, size = 1;
  int node = 0, nodes = 1;  ///< nodes numbered by their lowest rank
  int near_rank = 0, near_size = 1;
  std::vector<int> near_ranks;              ///< team ranks of this node, ascending; near_ranks[near_rank] == rank
  std::vector<int> near_processes;          ///< their process ids
  bool sees_near_processes = false;         ///< by these ids: containers may have ids of their own
  int smallest_node = 1, largest_node = 1;  ///< ranks on the smallest and the largest node of the team
  bool is_block_mapped = true;    ///< rank == node * near_size + near_rank on every rank (and nodes are equal)
  bool is_cyclic_mapped = false;  ///< rank == near_rank * nodes + node on every rank (and nodes are equal)
  int ranks_here = 1;             ///< ranks of the team on the real node
  int cores = 1;                  ///< physical cores that these may run on together (hardware threads without hwloc)
  int hardware_threads = 1;       ///< hardware threads that these may run on together, or the container's quota of CPUs
  bool is_short_of_cores = false;  ///< more ranks on the real node than hardware threads: waiting must yield at once
  /// Where the near ranks' groups begin that share a last-level cache (ranks next to each other only); {0} if there is
  /// one group or the ranks are not bound to cores. The same on all near ranks.
  std::vector<int> cache_groups{0};
  std::vector<int> cache_domains;  ///< by near rank: which last-level cache; -1: not bound to one
  /// Bytes of the last-level cache that are this rank's if the near ranks of its group use it alike, but of a large one
  /// no more than a core makes use of; 0 where it is not known.
  std::int64_t cache_share_bytes = 0;
  std::int64_t core_cache_bytes = 0;  ///< of the second-level cache
  bool are_nodes_pretend = false;     ///< some real node was cut; the same on every rank
  std::string host, processor;        ///< of this rank

  /// First of a range of four tags for one plan, the same on every rank because plans are made collectively in one
  /// order. Ranges are handed out from 1024 to MPI_TAG_UB, then again from the start.
  int next_tags() noexcept;
  /// The rank in the communicator `messages`.
  int in_messages(int r) const noexcept { return whole ? ranks_in_whole[static_cast<std::size_t>(r)] : r; }

  /// One object of type T per team, made at the first request and freed with the team (arenas, graph communicators).
  template <class T, class Make>
  T& attachment(Make make) {
    auto& slot = attachments[std::type_index(typeid(T))];
    if (!slot) slot = std::shared_ptr<T>(make());
    return *static_cast<T*>(slot.get());
  }
  std::map<std::type_index, std::shared_ptr<void>> attachments;
  void* collective_engine =
      nullptr;  ///< one of the attachments, found without a search by calls that take a fraction of a microsecond

  static constexpr int tags_per_plan = 4, own_tags = 3;
  static constexpr int block_tag = 0, irregular_tag = 1, agreement_tag = 2;  ///< each beyond own_tag
  int own_tag = 64;      ///< first of own_tags for messages that belong to no plan
  int first_tag = 1024;  ///< of plans; lower ones are for messages between plans
  int tag_limit = 32767;
  int tag_counter = 0;
  team_state() = default;
  team_state(const team_state&) = delete;
  team_state& operator=(const team_state&) = delete;
  ~team_state();  ///< frees the attachments, then the communicators unless MPI is already finalised
};

/// True between MPI_Init and MPI_Finalize: what destructors ask before they call MPI. False if require_own_mpi()
/// throws.
bool is_mpi_usable();

/// Throws usage_error if another MPI answers than the library was built with, as in a program that is linked with both:
/// handles of the one are nothing to the other.
void require_own_mpi();

/// Throws usage_error after MPI_Finalize.
void require_live_mpi();

/// Throws transport_error with MPI's own text when `code` is not MPI_SUCCESS.
void check_mpi(int code, const char* call);

/// A call that waits for other ranks, under the watchdog over MPI's calls; what is in flight is moved on meanwhile.
/// Throws as check_mpi.
template <class Run>
void watched_mpi(const char* call, Run run) {
  require_live_mpi();
  const wait_inside_mpi moves_on;
  const mpi_watch watch(call);
  check_mpi(run(), call);
}

/// The lowest of all ranks' values, one by one, in their place. While it waits for ranks that have not come here yet it
/// moves on what is in flight, all of it: they may have to finish an operation with this one's help before they come.
/// Blocking calls that follow wait for nobody who waits for this rank. What is made begins with it. `values` is not
/// empty, and as long everywhere. Collective.
void take_lowest(MPI_Comm comm, std::span<std::int64_t> values);

/// The same for all ranks of a team. @throws transport_error  if a near rank's process has ended meanwhile
void take_lowest(const team_state& s, std::span<std::int64_t> values);

/// Polls `is_over` until it is true, and moves on what is in flight. `who` is named with `whom()` where the wait
/// becomes long. @throws transport_error  as all waits do after NEARFAR_WATCHDOG seconds, or where a near rank's
/// process has ended
void wait_for_others(const team_state& s, const std::function<bool()>& is_over, const std::string& who,
                     const std::function<std::string()>& whom);

/// Name and version of the MPI library, e.g. "Open MPI v4.1.4" or "MPICH Version: 4.0.2".
std::string mpi_library();

/// True on every rank if `mine` is true on every rank. Collective over the team.
bool everywhere(const team_state& s, bool mine);

}  // namespace nearfar
