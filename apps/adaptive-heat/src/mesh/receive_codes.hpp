// SPDX-License-Identifier: BSD-3-Clause
// A message of octants' codes whose length only its sender knows.
#pragma once

#include <base/mpi_check.hpp>
#include <cstddef>
#include <mesh/node_list.hpp>

namespace adaptive_heat {

/// Receives the next message of that tag from `peer` and appends it; returns how many codes came. Waits for the
/// message.
/// @throws nearfar::transport_error if MPI fails
inline std::size_t receive_codes(MPI_Comm comm, int peer, int tag, codes& list) {
  MPI_Message message;
  MPI_Status status;
  int count = 0;
  const nearfar::mpi_watch watch("MPI_Mprobe");
  check_mpi(MPI_Mprobe(peer, tag, comm, &message, &status), "MPI_Mprobe");
  check_mpi(MPI_Get_count(&status, MPI_UINT64_T, &count), "MPI_Get_count");
  const std::size_t before = list.size();
  list.resize(before + static_cast<std::size_t>(count));
  check_mpi(MPI_Mrecv(list.data() + before, count, MPI_UINT64_T, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
  return static_cast<std::size_t>(count);
}

}  // namespace adaptive_heat
