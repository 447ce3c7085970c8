// SPDX-License-Identifier: BSD-3-Clause
// The lifetime of a team's communicators and tags, and common queries of MPI.
#include <sched.h>

#include <algorithm>
#include <array>
#include <nearfar/error.hpp>
#include <topology/team_state.hpp>

namespace nearfar {
namespace {

constexpr int first_tag = 1024;  // lower ones are for messages between plans
constexpr int tags_per_plan = 4;

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
  if (!is_mpi_usable()) return;
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

void meet(MPI_Comm comm) {
  require_live_mpi();
  constexpr int polls_before_yield = 100;  // some 10 us
  MPI_Request request = MPI_REQUEST_NULL;
  const mpi_watch watch("MPI_Ibarrier");
  check_mpi(MPI_Ibarrier(comm, &request), "MPI_Ibarrier");
  for (int polls = 0, is_over = 0;; ++polls) {
    check_mpi(MPI_Test(&request, &is_over, MPI_STATUS_IGNORE), "MPI_Test");
    if (is_over != 0) return;
    move_on_in_flight();
    if (polls > polls_before_yield) sched_yield();
  }
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
  int in = mine ? 1 : 0, all = 0;
  meet(s.comm);
  watched_mpi("MPI_Allreduce", [&] { return MPI_Allreduce(&in, &all, 1, MPI_INT, MPI_LAND, s.comm); });
  return all != 0;
}

}  // namespace nearfar
