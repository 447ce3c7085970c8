// SPDX-License-Identifier: BSD-3-Clause
// One iteration of the conjugate gradients in each form of exchange, and with several threads, in turns.
//
//   heat_iteration_times [--class=S] [ROUNDS] [THREADS]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mesh/closed_form.hpp>
#include <nearfar/collective.hpp>
#include <solver/simulation.hpp>
#include <string_view>

namespace {

using namespace adaptive_heat;

struct contender {
  std::string_view name;
  exchange_form form;
  int threads = 1;
  std::vector<double> seconds{};
};

constexpr int burst = 50;

double burst_of(const nearfar::team& team, heat_solver& solver) {
  nearfar::barrier(team);
  const double start = MPI_Wtime();
  for (int n = 0; n < burst; ++n) solver.iterate({.updates = 2});
  return nearfar::allreduce(team, (MPI_Wtime() - start) / burst, nearfar::op::max);
}

double at(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))] * 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  nearfar::runtime mpi(argc, argv);
  const nearfar::team team = mpi.world();
  const std::string_view name = argc > 1 ? argv[1] : "--class=S";
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 100;
  const problem what = problem_class(name.substr(name.find('=') + 1));
  std::vector<contender> all{
      {"copies", exchange_form::copies}, {"assembly", exchange_form::assembly}, {"owner", exchange_form::owner}};
  if (argc > 3) all.push_back({"copies", exchange_form::copies, std::atoi(argv[3])});
  std::deque<heat_solver> solvers;
  for (const contender& c : all) {
    forest mesh(team, what.levels);
    mesh.start(moving_ball{.radius = what.radius}.at(0));
    solvers.emplace_back(
        team,
        solver_options{
            .scheme = {.dt = what.time_step()}, .ball = {.radius = what.radius}, .form = c.form, .threads = c.threads});
    solvers.back().set_mesh(part_of(mesh));
    solvers.back().step(0);
  }
  for (int round = 0; round < rounds; ++round)
    for (std::size_t n = 0; n < all.size(); ++n) all[n].seconds.push_back(burst_of(team, solvers[n]));
  if (team.is_root())
    for (const contender& c : all)
      std::printf("%-10s %2d ranks x %d threads: median %8.1f us, tenth %8.1f us per iteration\n", c.name.data(),
                  team.size(), c.threads, at(c.seconds, 0.5), at(c.seconds, 0.1));
}
