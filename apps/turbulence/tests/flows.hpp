// SPDX-License-Identifier: BSD-3-Clause
// Tests of flows: small boxes, steps of a given length, and how far a flow is from another one.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <mpi_test.hpp>
#include <nearfar/collective.hpp>
#include <solver/initial.hpp>
#include <statistics/statistics.hpp>

namespace turbulence::test {

inline box_shape cube(index_t points, dealiasing_rule rule = dealiasing_rule::two_thirds) {
  return {{points, points, points}, {1, 1, 1}, rule};
}

inline void advance(flow& of, int steps, double dt) {
  for (int n = 0; n < steps; ++n) of.step([dt](double) { return dt; });
}

/// All modes of all fields that this rank has, in the order of their global indices.
inline std::vector<complex> modes_of(flow& of) {
  std::vector<std::pair<std::array<index_t, 3>, std::size_t>> order;
  of.on().for_modes([&](const mode& m) { order.emplace_back(m.index, static_cast<std::size_t>(m.at)); });
  std::sort(order.begin(), order.end());
  std::vector<complex> all;
  for (const complex* field : of.state().all())
    for (const auto& [index, at] : order) all.push_back(field[at]);
  return all;
}

/// The largest difference of modes, of flows of one box and one team. Collective.
inline double distance(flow& a, flow& b) {
  const auto of_a = modes_of(a), of_b = modes_of(b);
  double most = 0;
  for (std::size_t n = 0; n < of_a.size(); ++n) most = std::max(most, std::abs(of_a[n] - of_b[n]));
  return nearfar::allreduce(a.on().team(), most, nearfar::reduce_op::max);
}

class flows : public nearfar::test::MpiTest {
 protected:
  void SetUp() override {
    ::setenv("NEARFAR_BUDGET", "0", 1);
    MpiTest::SetUp();
  }
  nearfar::team team() const { return nearfar::team(comm()); }
  /// For files of one test. Collective.
  std::filesystem::path new_folder() const {
    int id = ::getpid();
    MPI_Bcast(&id, 1, MPI_INT, 0, comm());
    const auto folder = std::filesystem::temp_directory_path() / ("turbulence_files_" + std::to_string(id));
    if (rank() == 0) std::filesystem::create_directories(folder);
    MPI_Barrier(comm());
    return folder;
  }
  void remove(const std::filesystem::path& folder) const {
    MPI_Barrier(comm());
    if (rank() == 0) std::filesystem::remove_all(folder);
  }
};

}  // namespace turbulence::test
