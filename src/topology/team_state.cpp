// SPDX-License-Identifier: BSD-3-Clause
// The lifetime of a team's communicators and tags, and common queries of MPI.
#include <sched.h>

#include <algorithm>
#include <array>
#include <base/long_wait.hpp>
#include <base/process.hpp>
#include <base/text.hpp>
#include <base/watch_options.hpp>
#include <memory>
#include <nearfar/error.hpp>
#include <topology/team_state.hpp>

namespace nearfar {
namespace {

void free_quietly(MPI_Comm& comm) {
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

// What can be asked without a handle: the library's name, and of the standard ABI its version.
bool finds_own_mpi() {
#if defined(MPI_ABI_VERSION)
  int major = 0, minor = 0;
  return MPI_Abi_get_version(&major, &minor) == MPI_SUCCESS && major > 0;
#elif defined(OPEN_MPI)
  return mpi_library().starts_with("Open MPI");
#else
  return !mpi_library().starts_with("Open MPI");
#endif
}

bool is_own_mpi() {
  static const bool is_own = finds_own_mpi();
  return is_own;
}

}  // namespace

int team_state::next_tags() noexcept {
  const int ranges = (tag_limit - first_tag + 1) / tags_per_plan;
  const int tags = first_tag + tags_per_plan * tag_counter;
  tag_counter = (tag_counter + 1) % ranges;
  return tags;
}

team_state::~team_state() {
  attachments.clear();
  if (whole || !is_mpi_usable()) return;
  free_quietly(node_comm);
  free_quietly(comm);
}

void require_own_mpi() {
  if (is_own_mpi()) return;
  throw usage_error(text("this Nearfar was built with " NEARFAR_BUILT_WITH ", but ", mpi_library(),
                         " answers its calls: compile and link the program and all its libraries with the former, "
                         "or use the Nearfar that was built with the latter"));
}

bool is_mpi_usable() {
  if (!is_own_mpi()) return false;
  int is_initialised = 0;
  int is_finalised = 0;
  MPI_Initialized(&is_initialised);
  MPI_Finalized(&is_finalised);
  return is_initialised && !is_finalised;
}

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING + 1> reason{};
  int length = 0;
  MPI_Error_string(code, reason.data(), &length);
  throw transport_error(text(call, " failed: ", reason.data()));
}

void require_live_mpi() {
  int is_finalised = 0;
  MPI_Finalized(&is_finalised);
  if (is_finalised != 0)
    throw usage_error("MPI is finalized: teams and what is made from them can only be used before MPI_Finalize");
}

namespace {

/// Polls `is_over`; `look` is called a few times a second.
template <class IsOver, class Look>
void wait_looking(IsOver is_over, Look look) {
  constexpr int polls_before_yield = 100;   // some 10 us
  constexpr int polls_between_clocks = 16;  // each may cost time slices of other programs
  constexpr double seconds_between_looks = 0.25;
  double looked_s = 0;
  for (int polls = 1; !is_over(); ++polls) {
    move_on_in_flight();
    if (polls <= polls_before_yield) continue;
    sched_yield();
    if (polls % polls_between_clocks != 0) continue;
    const double now = clock_of_watchdog().now_s();
    if (looked_s == 0) looked_s = now;
    if (now - looked_s < seconds_between_looks) continue;
    look();
    looked_s = now;
  }
}

using numbers = std::vector<std::int64_t>;

/// Until the requests, which read and write `used`, are over. If a rank has died they never may be, and the MPI may
/// write later: the numbers are not freed then.
template <class Look>
void wait_for(std::span<MPI_Request> requests, std::unique_ptr<numbers>& used, Look look) {
  const auto is_over = [&] {
    int all = 0;
    check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE),
              "MPI_Testall");
    return all != 0;
  };
  try {
    wait_looking(is_over, look);
  } catch (...) {
    static_cast<void>(used.release());
    throw;
  }
}

template <class Look>
void lowest_by_reduction(MPI_Comm comm, std::span<std::int64_t> values, Look look) {
  auto all = std::make_unique<numbers>(values.begin(), values.end());
  MPI_Request request[1] = {MPI_REQUEST_NULL};
  const mpi_watch watch("MPI_Iallreduce");
  check_mpi(
      MPI_Iallreduce(MPI_IN_PLACE, all->data(), static_cast<int>(all->size()), MPI_INT64_T, MPI_MIN, comm, request),
      "MPI_Iallreduce");
  wait_for(request, all, look);
  std::copy(all->begin(), all->end(), values.begin());
}

// A subteam's communicator is the program's, which may be duplicating it without waiting: Open MPI 4.1 confuses that
// with other nonblocking collectives. In round k each rank hears from the one 2^k before it what is lowest on the 2^k
// ranks up to that one; ranks that are counted twice do not matter.
template <class Look>
void lowest_by_messages(const team_state& s, std::span<std::int64_t> values, Look look) {
  const int tag = s.own_tag + team_state::agreement_tag, count = static_cast<int>(values.size());
  auto sent_and_heard = std::make_unique<numbers>(2 * values.size());
  std::int64_t *const sent = sent_and_heard->data(), *const heard = sent + count;
  for (int distance = 1; distance < s.size; distance *= 2) {
    const int to = s.in_messages((s.rank + distance) % s.size);
    const int from = s.in_messages((s.rank + s.size - distance) % s.size);
    MPI_Request both[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    std::copy(values.begin(), values.end(), sent);
    check_mpi(MPI_Irecv(heard, count, MPI_INT64_T, from, tag, s.messages, &both[0]), "MPI_Irecv");
    check_mpi(MPI_Isend(sent, count, MPI_INT64_T, to, tag, s.messages, &both[1]), "MPI_Isend");
    wait_for(both, sent_and_heard, look);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::min(values[i], heard[i]);
  }
}

void require_living_near_ranks(const team_state& s) {
  for (std::size_t r = 0; s.sees_near_processes && r < s.near_processes.size(); ++r)
    if (!is_process_alive(s.near_processes[r]))
      throw transport_error(text("rank ", s.rank, ": rank ", s.near_ranks[r], " of this node (process ",
                                 s.near_processes[r], ") has died while this rank waited for all"));
}

}  // namespace

void take_lowest(MPI_Comm comm, std::span<std::int64_t> values) {
  require_live_mpi();
  lowest_by_reduction(comm, values, [] {});
}

void take_lowest(const team_state& s, std::span<std::int64_t> values) {
  require_live_mpi();
  const auto look = [&s] { require_living_near_ranks(s); };
  s.whole ? lowest_by_messages(s, values, look) : lowest_by_reduction(s.comm, values, look);
}

void wait_for_others(const team_state& s, const std::function<bool()>& is_over, const std::string& who,
                     const std::function<std::string()>& whom) {
  const wait_limits limits = wait_limits::of_environment();
  long_wait wait;
  wait_looking(is_over, [&] {
    require_living_near_ranks(s);
    wait.look(clock_of_watchdog().now_s(), limits, s.rank, who, whom);
  });
}

std::string mpi_library() {
  // Whichever MPI answers must find room: Open MPI's longest is 256, MPICH's 8192.
  std::array<char, std::max(MPI_MAX_LIBRARY_VERSION_STRING, 16384) + 1> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  std::string line = version.data();
  // MPICH goes on for pages below the first line, Open MPI on the same line after a comma.
  line.resize(std::min(line.find_first_of("\n,"), line.size()));
  std::replace(line.begin(), line.end(), '\t', ' ');
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

bool everywhere(const team_state& s, bool mine) {
  std::int64_t all = mine ? 1 : 0;
  take_lowest(s, {&all, 1});
  return all != 0;
}

}  // namespace nearfar
