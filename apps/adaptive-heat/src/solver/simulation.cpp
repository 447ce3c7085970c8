// SPDX-License-Identifier: BSD-3-Clause
// The run protocol of NPB UA: one step for nothing, then all of them against the clock.
#include <cmath>
#include <mesh/closed_form.hpp>
#include <nearfar/collective.hpp>
#include <solver/migration.hpp>
#include <solver/simulation.hpp>

namespace adaptive_heat {
namespace {

solver_options options_of(const problem& what, exchange_form form) {
  return {
      .scheme = {.dt = what.time_step()}, .iterations = what.iterations, .ball = {.radius = what.radius}, .form = form};
}

}  // namespace

mesh_maker closed_form_mesh(const nearfar::team& members, int levels) {
  return [members, levels](const ball& b) { return cut_mesh(members, closed_form_leaves(b, levels)); };
}

simulation::simulation(const nearfar::team& members, const problem& what, exchange_form form, mesh_maker make_mesh)
    : team_(members),
      problem_(what),
      ball_{.radius = what.radius},
      make_mesh_(std::move(make_mesh)),
      solver_(members, options_of(what, form)) {}

void simulation::adapt(double time) {
  mesh_part fresh = make_mesh_(ball_.at(time));
  std::vector<old_leaf> old;
  old.reserve(solver_.mesh().leaves.size());
  for (std::size_t n = 0; n < solver_.mesh().leaves.size(); ++n)
    old.push_back({solver_.mesh().leaves[n], solver_.elements().values(n)});
  old = migrate(team_, std::move(old), fresh);
  solver_.set_mesh(std::move(fresh));
  for (std::size_t n = 0; n < solver_.mesh().leaves.size(); ++n)
    solver_.elements().set_values(n, values_in(solver_.mesh().leaves[n], old));
}

run_result simulation::run(const run_observer& observer) {
  const auto tell = [&](int step) {
    if (observer.adapted) observer.adapted(step, solver_);
  };
  solver_.set_mesh(make_mesh_(ball_.at(0)));
  tell(0);
  solver_.step(0);
  solver_.elements().clear();
  solver_.reset_times();

  run_result result;
  double time = 0, adaptation = 0;
  nearfar::barrier(team_);
  const double start = MPI_Wtime();
  for (int step = 1; step <= problem_.steps; ++step) {
    solver_.step(time);
    time += problem_.time_step();
    if (step % steps_between_adaptations == 0 && step != problem_.steps) {
      const double before = MPI_Wtime();
      adapt(time);
      adaptation += MPI_Wtime() - before;
      tell(step);
    }
    result.points += static_cast<double>(solver_.mesh().all_leaves) * volume * (problem_.iterations + 1);
  }
  double longest[4] = {MPI_Wtime() - start, adaptation, solver_.times().convection, solver_.times().diffusion};
  nearfar::allreduce(team_, nearfar::in_place, std::span<double>(longest), nearfar::op::max);
  result.seconds = longest[0], result.adaptation_seconds = longest[1];
  result.convection_seconds = longest[2], result.diffusion_seconds = longest[3];
  result.integral = solver_.integral();
  verify(problem_, result);
  return result;
}

void verify(const problem& what, run_result& result) {
  result.has_reference = what.integral != 0;
  if (!result.has_reference) return;
  result.relative_error = std::abs(result.integral - what.integral) / what.integral;
  result.is_verified = result.relative_error <= 1e-8;
}

}  // namespace adaptive_heat
