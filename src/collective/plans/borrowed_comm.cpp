// SPDX-License-Identifier: BSD-3-Clause
// Made by a split of the team's communicator, which runs no callbacks of the caller's attributes.
#include "borrowed_comm.hpp"

#include <base/internals.hpp>
#include <topology/team_state.hpp>

namespace nearfar::collective {

borrowed_comm::borrowed_comm(const team& members, span_of_comm what) : what_(what) {
  const team_state& s = state_of(members);
  const bool is_lane = what == span_of_comm::lane;
  watched_mpi("MPI_Comm_split",
              [&] { return MPI_Comm_split(s.comm, is_lane ? s.near_rank : 0, is_lane ? s.node : s.rank, &comm_); });
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}

borrowed_comm::~borrowed_comm() {
  if (comm_ != MPI_COMM_NULL && is_mpi_usable()) MPI_Comm_free(&comm_);
}

far::lease_pool<borrowed_comm>::lease borrow_comm(const team& members, span_of_comm what) {
  return far::lease_pool<borrowed_comm>::of(members).borrow(
      members, [what](const borrowed_comm& c) { return c.what() == what; },
      [&] { return std::make_unique<borrowed_comm>(members, what); });
}

}  // namespace nearfar::collective
