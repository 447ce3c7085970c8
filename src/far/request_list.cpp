// SPDX-License-Identifier: BSD-3-Clause
// Testing and freeing requests.
#include <far/request_list.hpp>
#include <topology/team_state.hpp>

namespace nearfar::far {

request_list::~request_list() {
  if (is_mpi_usable()) free_all();
}

void request_list::free_all() noexcept {
  for (MPI_Request& r : requests_)
    if (r != MPI_REQUEST_NULL) MPI_Request_free(&r);
}

int request_list::test_some() {
  if (requests_.size() == 1) {  // the common case of one neighbour: the plain call is cheaper
    int flag = 0;
    check_mpi(MPI_Test(requests_.data(), &flag, MPI_STATUS_IGNORE), "MPI_Test");
    finished_[0] = 0;
    return flag;
  }
  int done = 0;
  check_mpi(
      MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &done, finished_.data(), MPI_STATUSES_IGNORE),
      "MPI_Testsome");
  return done == MPI_UNDEFINED ? 0 : done;
}

}  // namespace nearfar::far
