// SPDX-License-Identifier: BSD-3-Clause
// How long the mesh takes to adapt: mpiexec -n RANKS heat_mesh_times CLASS [ADAPTATIONS].
//
// Runs through the meshes of a class of NPB UA without the numerics. Prints the leaves after each adaptation, as NPB
// does, and for each phase the median over the adaptations of the longest rank's time. A class D run (heat_mesh_times
// D) is the check of the mesh at full size: its counts are those of tests/mesh_tables.hpp.
#include <algorithm>
#include <array>
#include <base/problem.hpp>
#include <cstdio>
#include <cstdlib>
#include <mesh/forest.hpp>
#include <nearfar/collective.hpp>
#include <string>
#include <vector>

namespace {

using namespace adaptive_heat;

constexpr std::array<const char*, 4> phases{"adapt", "rebalance", "ghosts", "sides"};
constexpr double imbalance_bound = 0.05;

/// One adaptation with all that follows from it; seconds per phase.
std::array<double, 4> step(forest& mesh, const ball& b, adaptation& what, std::size_t& moved) {
  std::array<double, 5> at{};
  nearfar::barrier(mesh.team());
  at[0] = MPI_Wtime();
  const adaptation& a = mesh.adapt(b);
  at[1] = MPI_Wtime();
  moved += mesh.rebalance(imbalance_bound).leaves_sent();
  at[2] = MPI_Wtime();
  mesh.ghost_codes();
  at[3] = MPI_Wtime();
  mesh.sides();
  at[4] = MPI_Wtime();
  what.refined = a.refined, what.merged = a.merged, what.total = a.total, what.rounds = a.rounds;
  std::array<double, 4> seconds{};
  for (std::size_t i = 0; i < 4; ++i) seconds[i] = at[i + 1] - at[i];
  nearfar::allreduce(mesh.team(), nearfar::in_place, std::span<double>(seconds), nearfar::reduce_op::max);
  return seconds;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void run(const nearfar::team& members, const problem& p, int adaptations) {
  const moving_ball source{.radius = p.radius};
  forest mesh(members, p.levels);
  const double before = MPI_Wtime();
  mesh.start(source.at(0));
  const double start = MPI_Wtime() - before;
  std::array<std::vector<double>, 4> times;
  std::size_t moved = 0;
  for (int i = 1; i < adaptations; ++i) {
    adaptation what;
    const auto seconds = step(mesh, source.at(i * steps_between_adaptations * p.time_step()), what, moved);
    for (std::size_t k = 0; k < 4; ++k) times[k].push_back(seconds[k]);
    if (members.is_root())
      std::printf("step %4d: elements refined, merged, total: %8lld %8lld %8lld, %lld rounds\n",
                  i * steps_between_adaptations, static_cast<long long>(what.refined),
                  static_cast<long long>(what.merged), static_cast<long long>(what.total),
                  static_cast<long long>(what.rounds));
  }
  const auto all_moved = nearfar::allreduce(members, static_cast<std::int64_t>(moved), nearfar::reduce_op::sum);
  if (!members.is_root()) return;
  std::printf("class %c, %d ranks: initial mesh %.3f ms; %lld leaves moved in all\n", p.name, members.size(),
              1e3 * start, static_cast<long long>(all_moved));
  double sum = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    std::printf("  %-10s %9.3f ms\n", phases[k], 1e3 * median(times[k]));
    sum += median(times[k]);
  }
  std::printf("  %-10s %9.3f ms\n", "together", 1e3 * sum);
}

}  // namespace

int main(int argc, char** argv) {
  nearfar::runtime mpi(argc, argv);
  const nearfar::team members = mpi.world();
  try {
    const problem& p = problem_class(argc > 1 ? argv[1] : "");
    run(members, p, argc > 2 ? std::atoi(argv[2]) : p.steps / steps_between_adaptations);
  } catch (const nearfar::error& e) {
    if (members.is_root()) std::fprintf(stderr, "heat_mesh_times: %s\n", e.what());
    return 1;
  }
  return 0;
}
