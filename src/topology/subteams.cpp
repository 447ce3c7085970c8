// SPDX-License-Identifier: BSD-3-Clause
// Looks up in the whole team's tables what team's constructor asks the ranks for.
#include <algorithm>
#include <base/internals.hpp>
#include <base/numbers.hpp>
#include <nearfar/error.hpp>
#include <numeric>
#include <topology/subteams.hpp>
#include <topology/team_state.hpp>

#include "hardware.hpp"

namespace nearfar {
namespace {

class group_of {
 public:
  explicit group_of(MPI_Comm comm) { check_mpi(MPI_Comm_group(comm, &group_), "MPI_Comm_group"); }
  ~group_of() { MPI_Group_free(&group_); }
  group_of(const group_of&) = delete;
  group_of& operator=(const group_of&) = delete;
  MPI_Group get() const noexcept { return group_; }

 private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

// Nodes are numbered by their lowest rank: in the order in which they are met.
void sort_into_nodes(team_state& s, const std::vector<int>& node_in_whole, int nodes_in_whole, int here) {
  std::vector<int> number(as_size(nodes_in_whole), -1), sizes;
  for (int r = 0; r < s.size; ++r) {
    const int node = node_in_whole[as_size(s.ranks_in_whole[as_size(r)])];
    int& n = number[as_size(node)];
    if (n < 0) {
      n = static_cast<int>(sizes.size());
      sizes.push_back(0);
    }
    ++sizes[as_size(n)];
    if (r == s.rank) s.near_rank = static_cast<int>(s.near_ranks.size());
    if (node == here) s.near_ranks.push_back(r);
  }
  s.node = number[as_size(here)];
  s.nodes = static_cast<int>(sizes.size());
  s.near_size = static_cast<int>(s.near_ranks.size());
  s.smallest_node = *std::min_element(sizes.begin(), sizes.end());
  s.largest_node = *std::max_element(sizes.begin(), sizes.end());
  s.is_block_mapped = s.nodes == 1;  // nobody asks for more of a subteam
}

// Other ranks of the whole team need cores and caches too, whether they are in this one or not.
void take_over_machine(team_state& s, const team_state& whole) {
  s.ranks_here = whole.ranks_here;
  s.cores = whole.cores;
  s.hardware_threads = whole.hardware_threads;
  s.is_short_of_cores = whole.is_short_of_cores;
  s.cache_share_bytes = whole.cache_share_bytes;
  s.core_cache_bytes = whole.core_cache_bytes;
  s.are_nodes_pretend = whole.are_nodes_pretend;
  s.sees_near_processes = whole.sees_near_processes;
  s.host = whole.host;
  s.processor = whole.processor;
}

void look_up_near_ranks(team_state& s, const team_state& whole) {
  for (const int r : s.near_ranks) {
    const auto at = std::lower_bound(whole.near_ranks.begin(), whole.near_ranks.end(), s.in_messages(r));
    const auto i = as_size(at - whole.near_ranks.begin());
    s.near_processes.push_back(whole.near_processes[i]);
    s.cache_domains.push_back(whole.cache_domains[i]);
  }
  s.cache_groups = detail::groups_by_cache(s.cache_domains);
}

}  // namespace

subteams::subteams(team whole) : whole_(std::move(whole)), nodes_(as_size(whole_.size())) {
  const int node = whole_.node();
  watched_mpi("MPI_Allgather",
              [&] { return MPI_Allgather(&node, 1, MPI_INT, nodes_.data(), 1, MPI_INT, whole_.comm()); });
}

std::vector<int> subteams::ranks_of(MPI_Comm comm) const {
  const group_of theirs(comm), all(whole_.comm());
  int size = 0;
  check_mpi(MPI_Group_size(theirs.get(), &size), "MPI_Group_size");
  std::vector<int> own(as_size(size)), ranks(own.size());
  std::iota(own.begin(), own.end(), 0);
  check_mpi(MPI_Group_translate_ranks(theirs.get(), size, own.data(), all.get(), ranks.data()),
            "MPI_Group_translate_ranks");
  if (std::find(ranks.begin(), ranks.end(), MPI_UNDEFINED) != ranks.end()) ranks.clear();
  return ranks;
}

team subteams::of(MPI_Comm comm, std::vector<int> ranks, int first_tag) const {
  const team_state& whole = state_of(whole_);
  auto s = std::make_shared<team_state>();
  s->whole = whole_;
  s->comm = comm;
  s->messages = whole.comm;
  s->first_tag = first_tag;
  s->tag_limit = first_tag + team_state::tags_per_plan - 1;
  s->own_tag = s->tag_limit + 1;
  static_assert(team_state::tags_per_plan + team_state::own_tags <= tags_per_team);
  s->size = static_cast<int>(ranks.size());
  s->ranks_in_whole = std::move(ranks);
  check_mpi(MPI_Comm_rank(comm, &s->rank), "MPI_Comm_rank");
  sort_into_nodes(*s, nodes_, whole.nodes, whole.node);
  take_over_machine(*s, whole);
  look_up_near_ranks(*s, whole);
  return internals::made_of<team>(std::move(s));
}

}  // namespace nearfar
