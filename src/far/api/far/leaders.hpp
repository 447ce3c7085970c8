// SPDX-License-Identifier: BSD-3-Clause
// Communicators of one rank per node, for MPI's collectives between nodes.
#pragma once

#include <far/lease_pool.hpp>
#include <nearfar/team.hpp>

namespace nearfar::far {

/// The ranks that are first on their nodes, numbered as the nodes are; no communicator on the others.
class leaders {
 public:
  explicit leaders(const team& members);
  ~leaders();
  leaders(const leaders&) = delete;
  leaders& operator=(const leaders&) = delete;
  MPI_Comm comm() const noexcept { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Such a communicator that no other plan uses. Collective over the team.
lease_pool<leaders>::lease borrow_leaders(const team& members);

}  // namespace nearfar::far
