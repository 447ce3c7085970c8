// SPDX-License-Identifier: BSD-3-Clause
// Makes and lends communicators of leaders.
#include <base/internals.hpp>
#include <far/leaders.hpp>

namespace nearfar::far {

leaders::leaders(const team& members) {
  const team_state& s = state_of(members);
  watched_mpi("MPI_Comm_split",
              [&] { return MPI_Comm_split(members.comm(), s.near_rank == 0 ? 0 : MPI_UNDEFINED, s.node, &comm_); });
}

leaders::~leaders() {
  if (comm_ != MPI_COMM_NULL && is_mpi_usable()) MPI_Comm_free(&comm_);
}

lease_pool<leaders>::lease borrow_leaders(const team& members) {
  return lease_pool<leaders>::of(members).borrow(
      members, [](const leaders&) { return true; }, [&] { return std::make_unique<leaders>(members); });
}

}  // namespace nearfar::far
