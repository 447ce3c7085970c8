// SPDX-License-Identifier: BSD-3-Clause
// The run protocol of NPB UA: one step for nothing, then all of them against the clock.
#include <cmath>
#include <nearfar/collective.hpp>
#include <nearfar/error.hpp>
#include <solver/simulation.hpp>

namespace adaptive_heat {
namespace {

solver_options options_of(const problem& what, exchange_form form) {
  return {
      .scheme = {.dt = what.time_step()}, .iterations = what.iterations, .ball = {.radius = what.radius}, .form = form};
}

/// By how much a rank may have more elements than its share. Equal shares in every case would move most elements each time.
constexpr double imbalance_allowed = 0.03;

void move(const migration& how, std::vector<element_values>& values) {
  if (how.is_local() && how.old_leaves() == how.new_leaves()) return;
  std::vector<element_values> moved(how.new_leaves());
  how.move(values.data(), moved.data(), 1);
  values = std::move(moved);
}

}  // namespace

mesh_source mesh_source_named(std::string_view name) {
  if (name == "forest") return mesh_source::forest;
  if (name == "closed-form") return mesh_source::closed_form;
  throw nearfar::usage_error("there is no mesh '" + std::string(name) + "'; the meshes are forest, closed-form");
}

simulation::simulation(const nearfar::team& members, const problem& what, exchange_form form, mesh_source source)
    : team_(members),
      problem_(what),
      ball_{.radius = what.radius},
      source_(source),
      forest_(members, what.levels),
      solver_(members, options_of(what, form)) {}

void simulation::adapt(double time) {
  std::vector<element_values> old, fresh;
  old.reserve(solver_.mesh().leaves.size());
  for (std::size_t n = 0; n < solver_.mesh().leaves.size(); ++n) old.push_back(solver_.elements().values(n));
  const ball b = ball_.at(time);
  const adaptation& change = source_ == mesh_source::forest ? forest_.adapt(b) : forest_.adapt_by_closed_form(b);
  move(change.before, old);
  interpolate(change, old, fresh);
  std::vector<element_values>().swap(old);  // a kilobyte per element less while the new mesh is set up
  move(forest_.rebalance(imbalance_allowed), fresh);
  solver_.set_mesh(part_of(forest_));
  for (std::size_t n = 0; n < fresh.size(); ++n) solver_.elements().set_values(n, fresh[n]);
}

/// Values of the new leaves of the forest.
void simulation::interpolate(const adaptation& change, std::span<const element_values> old,
                             std::vector<element_values>& fresh) const {
  fresh.reserve(forest_.leaves().size());
  for (std::size_t n = 0; n < forest_.leaves().size(); ++n) {
    const origin& from = change.origins[n];
    fresh.push_back(values_in(forest_.leaves()[n], std::span(change.old_leaves).subspan(from.first, from.count),
                              old.subspan(from.first, from.count)));
  }
}

run_result simulation::run(const run_observer& observer) {
  const auto tell = [&](int step) {
    if (observer.adapted) observer.adapted(step, solver_);
  };
  forest_.start(ball_.at(0));
  solver_.set_mesh(part_of(forest_));
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
