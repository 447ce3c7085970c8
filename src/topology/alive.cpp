// SPDX-License-Identifier: BSD-3-Clause
// How the library detects that MPI ends.
#include <topology/alive.hpp>

#include <base/text.hpp>
#include <nearfar/error.hpp>
#include <nearfar/mpi.hpp>
#include <topology/team_state.hpp>

namespace nearfar {

std::atomic<bool> is_mpi_ending = false;

namespace {

// Not MPI_COMM_NULL_COPY_FN: the preloaded library is linked with no MPI.
int copy_nothing(MPI_Comm, int, void*, void*, void*, int* is_copied) {
  *is_copied = 0;
  return MPI_SUCCESS;
}

int note_end(MPI_Comm, int, void*, void*) {
  is_mpi_ending = true;
  return MPI_SUCCESS;
}

bool set_attribute() {
  int key = MPI_KEYVAL_INVALID;
  check_mpi(MPI_Comm_create_keyval(copy_nothing, note_end, &key, nullptr), "MPI_Comm_create_keyval");
  check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
  check_mpi(MPI_Comm_free_keyval(&key), "MPI_Comm_free_keyval");
  return true;
}

}  // namespace

void watch_for_the_end() {
  static const bool is_set = set_attribute();
  static_cast<void>(is_set);
}

void require_alive(bool has_plan, const char* what) {
  if (!has_plan) throw usage_error(text("this ", what, " has been moved from, or given up after an error"));
  require_live_mpi();
}

}  // namespace nearfar
