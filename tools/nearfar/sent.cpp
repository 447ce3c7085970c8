// SPDX-License-Identifier: BSD-3-Clause
// MPI_Isend and MPI_Issend of this program, which note the message and pass it on.
#include "sent.hpp"

#include <algorithm>
#include <nearfar/mpi.hpp>

namespace {

std::vector<nearfar::exchange::message>* noted = nullptr;  // null: not counting

void note(int number, MPI_Datatype type, int to, MPI_Comm comm) {
  if (noted == nullptr) return;
  int rank = 0, bytes_each = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Type_size(type, &bytes_each);
  noted->push_back({rank, to, nearfar::index_t{number} * bytes_each});
}

}  // namespace

extern "C" int MPI_Isend(const void* data, int number, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  note(number, type, to, comm);
  return PMPI_Isend(data, number, type, to, tag, comm, request);
}
extern "C" int MPI_Issend(const void* data, int number, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                          MPI_Request* request) {
  note(number, type, to, comm);
  return PMPI_Issend(data, number, type, to, tag, comm, request);
}

namespace nearfar::command {

std::vector<exchange::message> sent_during(const std::function<void()>& run) {
  std::vector<exchange::message> all;
  noted = &all;
  try {
    run();
  } catch (...) {
    noted = nullptr;
    throw;
  }
  noted = nullptr;
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace nearfar::command
