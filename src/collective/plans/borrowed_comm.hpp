// SPDX-License-Identifier: BSD-3-Clause
// Communicators lent to plans: a plan may be started at any time, so it shares its communicator with no other call.
#pragma once

#include <far/lease_pool.hpp>
#include <nearfar/team.hpp>

namespace nearfar::collective {

/// All ranks of the team, or this rank's lane: the ranks with the same near rank on all nodes, in order of nodes.
enum class span_of_comm { team, lane };

class borrowed_comm {
 public:
  borrowed_comm(const team& members, span_of_comm what);
  ~borrowed_comm();
  borrowed_comm(const borrowed_comm&) = delete;
  borrowed_comm& operator=(const borrowed_comm&) = delete;
  MPI_Comm comm() const noexcept { return comm_; }
  span_of_comm what() const noexcept { return what_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  span_of_comm what_;
};

/// Collective over the team.
far::lease_pool<borrowed_comm>::lease borrow_comm(const team& members, span_of_comm what);

}  // namespace nearfar::collective
