// SPDX-License-Identifier: BSD-3-Clause
// Makes and lends graph communicators.
#include <far/graph.hpp>

namespace nearfar::far {

graph::graph(const team& members, std::vector<int> sources, std::vector<int> destinations)
    : sources_(std::move(sources)), destinations_(std::move(destinations)) {
  watched_mpi("MPI_Dist_graph_create_adjacent", [&] {
    return MPI_Dist_graph_create_adjacent(members.comm(), static_cast<int>(sources_.size()), sources_.data(),
                                          MPI_UNWEIGHTED, static_cast<int>(destinations_.size()), destinations_.data(),
                                          MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm_);
  });
}

graph::~graph() {
  if (is_mpi_usable()) MPI_Comm_free(&comm_);
}

lease_pool<graph>::lease borrow_graph(const team& members, const std::vector<int>& sources,
                                      const std::vector<int>& destinations) {
  return lease_pool<graph>::of(members).borrow(
      members, [&](const graph& g) { return g.has_neighbours(sources, destinations); },
      [&] { return std::make_unique<graph>(members, sources, destinations); });
}

}  // namespace nearfar::far
