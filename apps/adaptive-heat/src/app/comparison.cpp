// SPDX-License-Identifier: BSD-3-Clause
// One solver per method, all on the same mesh; bursts of iterations in turns.
#include <algorithm>
#include <app/comparison.hpp>
#include <array>
#include <cstdio>
#include <deque>
#include <mesh/forest.hpp>
#include <mortar/traffic.hpp>
#include <nearfar/collective.hpp>
#include <solver/simulation.hpp>

namespace adaptive_heat {
namespace {

struct contender {
  std::string name;
  exchange_form form;
  point_distribution distribution = point_distribution::block;
  std::vector<double> seconds{};
};

std::vector<contender> contenders() {
  std::vector<contender> all{{"owner rule, copies", exchange_form::copies},
                             {"owner rule, assembly", exchange_form::assembly},
                             {"owner rule, owner", exchange_form::owner}};
  for (const point_distribution d : all_point_distributions)
    all.push_back({std::string(name_of(d)), exchange_form::distributed, d});
  return all;
}

constexpr int burst = 10;  ///< iterations

double burst_of(const nearfar::team& team, heat_solver& solver) {
  nearfar::barrier(team);
  const double start = MPI_Wtime();
  for (int n = 0; n < burst; ++n) solver.iterate({.updates = 2});
  return nearfar::allreduce(team, (MPI_Wtime() - start) / burst, nearfar::reduce_op::max);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

compared_method method_of(const nearfar::team& team, const contender& c, const heat_solver& solver) {
  compared_method method{.name = c.name, .iteration_s = median(c.seconds)};
  const std::vector<std::int64_t> values = values_by_owner(team, solver.exchange());
  const std::int64_t rounds = c.form == exchange_form::copies ? 1 : 2;
  std::int64_t remote = 0, far = 0, partners = 0;
  for (int r = 0; r < team.size(); ++r) {
    const std::int64_t count = values[static_cast<std::size_t>(r)];
    remote += count, far += team.is_near(r) ? 0 : count, partners += count > 0 ? 1 : 0;
  }
  method.busiest = nearfar::allreduce(team, remote, nearfar::reduce_op::max);
  std::array<std::int64_t, 4> sums{solver.layout().total(), remote, far, partners * rounds};
  nearfar::allreduce(team, nearfar::in_place, std::span<std::int64_t>(sums), nearfar::reduce_op::sum);
  method.points = sums[0], method.remote = sums[1], method.far = sums[2], method.messages = sums[3];
  return method;
}

}  // namespace

std::vector<compared_method> compare_distributions(const nearfar::team& team, const problem& what, int threads,
                                                   int rounds) {
  std::vector<contender> all = contenders();
  std::deque<heat_solver> solvers;
  forest mesh(team, what.levels);
  mesh.start(region_of(what, 0));
  for (const contender& c : all) {
    solvers.emplace_back(team, options_of(what, c.form, threads, c.distribution)).set_mesh(part_of(mesh));
    solvers.back().step(0);
  }
  for (int round = 0; round < rounds; ++round)
    for (std::size_t n = 0; n < all.size(); ++n) all[n].seconds.push_back(burst_of(team, solvers[n]));
  std::vector<compared_method> methods;
  for (std::size_t n = 0; n < all.size(); ++n) methods.push_back(method_of(team, all[n], solvers[n]));
  return methods;
}

std::string comparison_table(const nearfar::team& team, const problem& what,
                             const std::vector<compared_method>& methods) {
  char line[200];
  std::snprintf(line, sizeof line,
                " Mortar points of class %c on %d ranks of %d nodes, first mesh; one sum, one iteration\n\n", what.name,
                team.size(), team.nodes());
  std::string text = line;
  std::snprintf(line, sizeof line, " %-22s %9s %9s %10s %13s %13s\n", "distribution", "remote", "far", "messages",
                "most KiB/rank", "iteration, us");
  text += line;
  for (const compared_method& w : methods) {
    const double share = 100.0 / static_cast<double>(std::max<std::int64_t>(w.points, 1));
    std::snprintf(line, sizeof line, " %-22s %7.2f %% %7.2f %% %10lld %13.1f %13.1f\n", w.name.c_str(),
                  share * static_cast<double>(w.remote), share * static_cast<double>(w.far),
                  static_cast<long long>(w.messages), 8.0 / 1024 * static_cast<double>(w.busiest), 1e6 * w.iteration_s);
    text += line;
  }
  return text;
}

}  // namespace adaptive_heat
