// SPDX-License-Identifier: BSD-3-Clause
// Communicators with a neighbourhood, for MPI's neighbourhood collectives.
#pragma once

#include <far/lease_pool.hpp>
#include <nearfar/team.hpp>
#include <vector>

namespace nearfar::far {

class graph {
 public:
  graph(const team& members, std::vector<int> sources, std::vector<int> destinations);
  ~graph();
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;
  MPI_Comm comm() const noexcept { return comm_; }
  bool has_neighbours(const std::vector<int>& sources, const std::vector<int>& destinations) const {
    return sources == sources_ && destinations == destinations_;
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<int> sources_, destinations_;
};

/// A graph with these neighbours that no other plan uses. Collective over the team.
lease_pool<graph>::lease borrow_graph(const team& members, const std::vector<int>& sources,
                                      const std::vector<int>& destinations);

}  // namespace nearfar::far
