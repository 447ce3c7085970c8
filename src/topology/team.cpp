// SPDX-License-Identifier: BSD-3-Clause
// Determines which ranks are near and how nodes and ranks are numbered, without lists of all ranks.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <base/env.hpp>
#include <base/log.hpp>
#include <base/process.hpp>
#include <climits>
#include <nearfar/error.hpp>
#include <topology/agree.hpp>
#include <topology/alive.hpp>
#include <topology/cache_size.hpp>
#include <topology/team_state.hpp>
#include <utility>

#include "hardware.hpp"

namespace nearfar {
namespace {

// Frees a communicator that only the constructor needs, also when it throws.
class scratch_comm {
 public:
  scratch_comm() = default;
  scratch_comm(const scratch_comm&) = delete;
  scratch_comm& operator=(const scratch_comm&) = delete;
  ~scratch_comm() {
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
  MPI_Comm comm = MPI_COMM_NULL;
};

// Errors come back as codes: an exception can name what failed, MPI's default handler ends the job.
void return_errors(MPI_Comm comm) {
  check_mpi(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

void take_duplicate(team_state& s, MPI_Comm comm) {
  // Not MPI_Comm_dup: that would run the copy callbacks of the caller's attributes.
  MPI_Group all = MPI_GROUP_NULL;
  check_mpi(MPI_Comm_group(comm, &all), "MPI_Comm_group");
  std::int64_t nothing = 0;
  take_lowest(comm, {&nothing, 1});  // all are here
  const int code = MPI_Comm_create(comm, all, &s.comm);
  MPI_Group_free(&all);
  check_mpi(code, "MPI_Comm_create");
  s.messages = s.comm;
  return_errors(s.comm);
  check_mpi(MPI_Comm_rank(s.comm, &s.rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(s.comm, &s.size), "MPI_Comm_size");
}

// Lines of a log are told apart by the job's ranks, whatever team they are about.
void name_rank_in_log() {
  int rank = 0;
  if (MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS) log::set_rank(rank);
}

// 0: real nodes. Ranks may have got different environments, so what they read is compared.
int agreed_node_size(MPI_Comm comm, int wanted) {
  std::int64_t node_size = wanted;
  agree(comm, [&] {
    if (wanted < 0) throw usage_error(text("team_options::node_size is ", wanted, "; it is 0 (real nodes) or more"));
    if (wanted == 0) node_size = env::integer_or("NEARFAR_NODE_SIZE", 0, 0, INT_MAX);
  });
  require_same(comm, "node size (team_options::node_size or NEARFAR_NODE_SIZE)", {&node_size, 1});
  return static_cast<int>(node_size);
}

MPI_Comm split_by_memory(MPI_Comm comm, int rank) {
  MPI_Comm node = MPI_COMM_NULL;
  watched_mpi("MPI_Comm_split_type",
              [&] { return MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node); });
  return_errors(node);
  return node;
}

MPI_Comm cut(MPI_Comm real_node, int node_size) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(real_node, &rank), "MPI_Comm_rank");
  MPI_Comm node = MPI_COMM_NULL;
  watched_mpi("MPI_Comm_split", [&] { return MPI_Comm_split(real_node, rank / node_size, rank, &node); });
  return_errors(node);
  return node;
}

detail::cpu_set union_over(MPI_Comm comm, detail::cpu_set cpus) {
  int words = static_cast<int>(cpus.size());
  watched_mpi("MPI_Allreduce", [&] { return MPI_Allreduce(MPI_IN_PLACE, &words, 1, MPI_INT, MPI_MAX, comm); });
  cpus.resize(static_cast<std::size_t>(words));
  watched_mpi("MPI_Allreduce",
              [&] { return MPI_Allreduce(MPI_IN_PLACE, cpus.data(), words, MPI_UINT64_T, MPI_BOR, comm); });
  return cpus;
}

void count_cores(team_state& s, MPI_Comm real_node) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(real_node, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(real_node, &s.ranks_here), "MPI_Comm_size");
  const detail::cpu_set cpus = union_over(real_node, detail::allowed_cpus());
  std::array<int, 4> facts{};
  if (rank == 0) {
    const detail::cpu_counts counts = detail::count(cpus);
    facts = {counts.cores, counts.threads, counts.machine_threads, detail::ranks_launched_here()};
  }
  watched_mpi("MPI_Bcast",
              [&] { return MPI_Bcast(facts.data(), static_cast<int>(facts.size()), MPI_INT, 0, real_node); });
  s.cores = facts[0];
  s.hardware_threads = facts[1];
  // A team may be a part of the job: the other ranks on the node need hardware threads too.
  s.is_short_of_cores = s.ranks_here > facts[1] || facts[3] > facts[2];
}

void list_near_ranks(team_state& s) {
  check_mpi(MPI_Comm_rank(s.node_comm, &s.near_rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(s.node_comm, &s.near_size), "MPI_Comm_size");
  s.near_ranks.resize(static_cast<std::size_t>(s.near_size));
  watched_mpi("MPI_Allgather",
              [&] { return MPI_Allgather(&s.rank, 1, MPI_INT, s.near_ranks.data(), 1, MPI_INT, s.node_comm); });
  s.near_processes.resize(s.near_ranks.size());
  const int process = ::getpid();
  watched_mpi("MPI_Allgather",
              [&] { return MPI_Allgather(&process, 1, MPI_INT, s.near_processes.data(), 1, MPI_INT, s.node_comm); });
  s.sees_near_processes = std::all_of(s.near_processes.begin(), s.near_processes.end(), is_process_alive);
}

// Of a cache that many cores share one core gets no more than this at the speed of a cache, and on a virtual machine
// others use it too. Of 260 MB beside 2 MB of the core's own, 33 MB per rank are stored past the caches in 0.7 of the
// time of ordinary stores, 113 MB in 0.36. 16 MB have been seen to serve as a cache (beside 1 MB of the core's own, 32
// MB in all).
std::int64_t most_shared_bytes(const team_state& s) {
  constexpr std::int64_t core_caches = 12, always_bytes = std::int64_t{16} << 20;
  return std::max(core_caches * s.core_cache_bytes, always_bytes);
}

// Groups are taken for equal. `given`: NEARFAR_CACHE_BYTES, where the system does not know, or knows of another
// machine's; else 0.
void find_cache_share(team_state& s, std::int64_t given) {
  s.core_cache_bytes = core_cache_bytes();
  const std::int64_t bytes = given > 0 ? given : last_level_cache_bytes();
  if (bytes <= 0) return;
  const auto groups = static_cast<std::int64_t>(s.cache_groups.size());
  const std::int64_t group_ranks = (s.near_size + groups - 1) / groups;
  s.cache_share_bytes = std::max<std::int64_t>(bytes / group_ranks, 1);
  if (given == 0) s.cache_share_bytes = std::min(s.cache_share_bytes, most_shared_bytes(s));
}

void find_caches(team_state& s) {
  int mine = -1;
  std::int64_t given = 0;
  agree(s.comm, [&] {
    mine = detail::cache_domain(detail::allowed_cpus());
    s.cache_domains.resize(static_cast<std::size_t>(s.near_size));
    given = env::integer_or("NEARFAR_CACHE_BYTES", 0, 0, INT64_MAX);
  });
  watched_mpi("MPI_Allgather",
              [&] { return MPI_Allgather(&mine, 1, MPI_INT, s.cache_domains.data(), 1, MPI_INT, s.node_comm); });
  s.cache_groups = detail::groups_by_cache(s.cache_domains);
  find_cache_share(s, given);
}

// The number of a node is the number of nodes whose lowest rank is lower.
void number_nodes(team_state& s) {
  const int is_leader = s.near_rank == 0 ? 1 : 0;
  int below = 0;
  watched_mpi("MPI_Exscan", [&] { return MPI_Exscan(&is_leader, &below, 1, MPI_INT, MPI_SUM, s.comm); });
  s.node = s.rank == 0 ? 0 : below;  // MPI leaves the first rank's result undefined
  watched_mpi("MPI_Bcast", [&] { return MPI_Bcast(&s.node, 1, MPI_INT, 0, s.node_comm); });
}

int tag_upper_bound() {
  void* value = nullptr;
  int is_set = 0;
  check_mpi(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &is_set), "MPI_Comm_get_attr");
  return is_set ? *static_cast<const int*>(value) : 32767;
}

void compare_nodes(team_state& s) {
  // One reduction for smallest and largest: the largest is the negative of the smallest negative.
  std::array<int, 5> low{s.near_size, -s.near_size, -s.node, tag_upper_bound(), s.ranks_here > s.near_size ? 0 : 1};
  watched_mpi("MPI_Allreduce", [&] {
    return MPI_Allreduce(MPI_IN_PLACE, low.data(), static_cast<int>(low.size()), MPI_INT, MPI_MIN, s.comm);
  });
  s.smallest_node = low[0];
  s.largest_node = -low[1];
  s.nodes = -low[2] + 1;
  s.tag_limit = low[3];
  s.are_nodes_pretend = low[4] == 0;
}

void recognise_mapping(team_state& s) {
  const bool are_equal = s.smallest_node == s.largest_node;
  std::array<int, 2> fits{are_equal && s.rank == s.node * s.near_size + s.near_rank,
                          are_equal && s.rank == s.near_rank * s.nodes + s.node};
  watched_mpi("MPI_Allreduce", [&] { return MPI_Allreduce(MPI_IN_PLACE, fits.data(), 2, MPI_INT, MPI_MIN, s.comm); });
  s.is_block_mapped = fits[0] != 0;
  s.is_cyclic_mapped = fits[1] != 0;
}

std::string ranks_per_node(const team_state& s) {
  if (s.nodes == 1) return "";
  if (s.smallest_node == s.largest_node) return text(", ", s.near_size, " on each");
  return text(", ", s.smallest_node, " to ", s.largest_node, " on each");
}

const char* mapping(const team_state& s) {
  if (s.nodes == 1 || s.smallest_node != s.largest_node) return "";
  if (s.is_block_mapped) return ", numbered node by node";
  return s.is_cyclic_mapped ? ", numbered around the nodes" : ", numbered irregularly";
}

std::string plural(int count, const char* noun) { return text(count, " ", noun, count == 1 ? "" : "s"); }

}  // namespace

void require_usable(MPI_Comm comm) {
  require_own_mpi();
  require_live_mpi();
  if (!is_mpi_usable())
    throw usage_error(
        "a team needs MPI between MPI_Init and MPI_Finalize: call MPI_Init first, or make a nearfar::runtime");
  if (comm == MPI_COMM_NULL)
    throw usage_error("a team cannot be made of MPI_COMM_NULL; pass a communicator that this rank is in");
  int is_inter = 0;
  MPI_Comm_test_inter(comm, &is_inter);
  if (is_inter)
    throw usage_error("a team cannot be made of an inter-communicator; merge it first with MPI_Intercomm_merge");
}

team::team(MPI_Comm comm, team_options options) : state_(std::make_shared<team_state>()) {
  require_usable(comm);
  watch_for_the_end();
  team_state& s = *state_;
  name_rank_in_log();
  take_duplicate(s, comm);
  const int node_size = agreed_node_size(s.comm, options.node_size);
  scratch_comm real_node;
  real_node.comm = split_by_memory(s.comm, s.rank);
  count_cores(s, real_node.comm);
  // Cutting into nodes larger than the real one is the real one.
  s.node_comm = node_size > 0 ? cut(real_node.comm, node_size) : std::exchange(real_node.comm, MPI_COMM_NULL);
  list_near_ranks(s);
  find_caches(s);
  number_nodes(s);
  compare_nodes(s);
  recognise_mapping(s);
  s.host = detail::host_name();
  s.processor = detail::processor_model();
}

int team::rank() const noexcept { return state_->rank; }
int team::size() const noexcept { return state_->size; }
int team::node() const noexcept { return state_->node; }
int team::nodes() const noexcept { return state_->nodes; }
int team::near_rank() const noexcept { return state_->near_rank; }
int team::near_size() const noexcept { return state_->near_size; }
MPI_Comm team::comm() const noexcept { return state_->comm; }

bool team::is_near(int rank) const noexcept {
  return std::binary_search(state_->near_ranks.begin(), state_->near_ranks.end(), rank);
}

std::string team::describe() const {
  const team_state& s = *state_;
  return text("team: ", plural(s.size, "rank"), " on ", plural(s.nodes, s.are_nodes_pretend ? "pretend node" : "node"),
              ranks_per_node(s), mapping(s), "\n",  //
              "this rank: ", s.rank, ", number ", s.near_rank, " of ", s.near_size, " on node ", s.node, "\n",
              "host: ", s.host, ", ", s.processor, ", ", plural(s.cores, "core"), " (",
              plural(s.hardware_threads, "hardware thread"), ") for ", plural(s.ranks_here, "rank"),
              s.is_short_of_cores ? ": short of cores, waiting yields" : "", "\n",  //
              "MPI: ", mpi_library(), "\n");
}

}  // namespace nearfar
