// SPDX-License-Identifier: BSD-3-Clause
// A communicator of one's own, and MPI's return codes as exceptions.
#pragma once

#include <nearfar/error.hpp>
#include <nearfar/mpi_watch.hpp>
#include <nearfar/team.hpp>
#include <span>
#include <string>
#include <utility>

namespace adaptive_heat {

/// Throws nearfar::transport_error, with the name of the call and MPI's own words, unless `code` is MPI_SUCCESS.
inline void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw nearfar::transport_error(std::string(call) + " failed: " + text);
}

/// Until all are complete, under the watchdog over MPI's calls.
inline void wait_for(std::span<MPI_Request> requests) {
  const nearfar::mpi_watch watch("MPI_Waitall");
  check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

/// A duplicate of a team's communicator, for messages that meet nobody else's. Making one is collective.
class own_comm {
 public:
  explicit own_comm(const nearfar::team& members) {
    check_mpi(MPI_Comm_dup(members.comm(), &comm_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ~own_comm() {
    int is_over = 0;
    MPI_Finalized(&is_over);
    if (comm_ != MPI_COMM_NULL && is_over == 0) MPI_Comm_free(&comm_);
  }
  own_comm(own_comm&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
  own_comm& operator=(own_comm&& other) noexcept {
    std::swap(comm_, other.comm_);
    return *this;
  }
  operator MPI_Comm() const noexcept { return comm_; }  // NOLINT: implicit by intent

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace adaptive_heat
