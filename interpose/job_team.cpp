// SPDX-License-Identifier: BSD-3-Clause
// Tags of engines: rank 0 of a communicator takes the next free range of its own. Ranges of different ranks are
// different, so that no two engines that share a pair of ranks share tags.
//
//   first tag = 1024 + (rank * ranges of a rank + range) * tags of a range
#include "job_team.hpp"

#include <algorithm>
#include <base/internals.hpp>
#include <base/log.hpp>
#include <collective/engine.hpp>
#include <mutex>
#include <near/arena.hpp>
#include <nearfar/error.hpp>
#include <topology/team_state.hpp>

namespace nearfar::interpose {
namespace {

constexpr int lowest_tag = 1024, most_ranges = 1 << 16;

struct job_team {
  explicit job_team(const team& all) : teams(all) {
    const team_state& s = state_of(all);
    near::arena::of(all);
    const int ranges = (s.tag_limit - lowest_tag + 1) / subteams::tags_per_team / s.size;
    is_taken.resize(as_size(std::min(ranges, most_ranges)));
  }

  subteams teams;
  std::mutex mutex;
  std::vector<bool> is_taken;  // by range of this rank
  std::size_t next = 0;        // in turn: what was given back rests as long as possible

  int first_tag(std::size_t range) const {
    const auto ranges = as_size(teams.whole().rank()) * is_taken.size() + range;
    return lowest_tag + static_cast<int>(ranges) * subteams::tags_per_team;
  }
  std::size_t range_of(int first) const {
    return as_size((first - lowest_tag) / subteams::tags_per_team) % is_taken.size();
  }
};

job_team*& job() noexcept {
  static job_team* one = nullptr;
  return one;
}

}  // namespace

void make_job_team() noexcept {
  int ranks = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (ranks < 2) return;
  try {
    collective::make_packing_comm();
    job() = new job_team(team(MPI_COMM_WORLD));
  } catch (const std::exception& e) {
    if (rank == 0) log::warning("collective calls are left to plain MPI: ", e.what());
  }
}

void end_job_team() noexcept { delete std::exchange(job(), nullptr); }

std::vector<int> ranks_in_job(MPI_Comm comm) noexcept {
  try {
    return job() != nullptr ? job()->teams.ranks_of(comm) : std::vector<int>();
  } catch (const std::exception&) {
    return {};
  }
}

engine_tags::engine_tags() noexcept {
  job_team& j = *job();
  const std::lock_guard lock(j.mutex);
  for (std::size_t i = 0; i < j.is_taken.size() && first_ < 0; ++i, j.next = (j.next + 1) % j.is_taken.size()) {
    if (j.is_taken[j.next]) continue;
    j.is_taken[j.next] = true;
    first_ = j.first_tag(j.next);
  }
}

engine_tags::~engine_tags() {
  if (first_ < 0 || job() == nullptr) return;
  const std::lock_guard lock(job()->mutex);
  job()->is_taken[job()->range_of(first_)] = false;
}

std::unique_ptr<collective::engine> make_engine_of_job(MPI_Comm comm, std::vector<int> ranks, int first_tag,
                                                       const std::string& name) {
  collective::engine_options options;
  options.name = name;
  options.overhead_s = 30e-9;
  return std::make_unique<collective::engine>(job()->teams.of(comm, std::move(ranks), first_tag), options);
}

}  // namespace nearfar::interpose
