// SPDX-License-Identifier: BSD-3-Clause
// One message of any length, sent or received without waiting: for what goes by near memory as a rule.
#pragma once

#include <base/numbers.hpp>
#include <nearfar/mpi.hpp>

namespace nearfar::far {

struct envelope {
  MPI_Comm comm;
  int peer, tag;
};

/// One at a time; its memory must stay until it is over. Not to be destroyed before.
class single_message {
 public:
  void send(const std::byte* from, index_t bytes, const envelope& to);
  void receive(std::byte* to, index_t bytes, const envelope& from);
  bool is_in_flight() const noexcept { return request_ != MPI_REQUEST_NULL; }
  /// Lets the MPI progress.
  bool is_over();

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace nearfar::far
