// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking messages of any length.
#include <far/message_type.hpp>
#include <far/single_message.hpp>
#include <topology/team_state.hpp>

namespace nearfar::far {

void single_message::send(const std::byte* from, index_t bytes, const envelope& to) {
  const message_type type(bytes);
  check_mpi(MPI_Isend(from, type.count(), type.type(), to.peer, to.tag, to.comm, &request_), "MPI_Isend");
}

void single_message::receive(std::byte* to, index_t bytes, const envelope& from) {
  const message_type type(bytes);
  check_mpi(MPI_Irecv(to, type.count(), type.type(), from.peer, from.tag, from.comm, &request_), "MPI_Irecv");
}

bool single_message::is_over() {
  int flag = 0;
  check_mpi(MPI_Test(&request_, &flag, MPI_STATUS_IGNORE), "MPI_Test");
  return flag != 0;
}

}  // namespace nearfar::far
