// SPDX-License-Identifier: BSD-3-Clause
// The run protocol of NPB UA: one step for nothing, then all of them against the clock.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nearfar/collective.hpp>
#include <nearfar/error.hpp>
#include <solver/simulation.hpp>

namespace adaptive_heat {
namespace {

/// By how much a rank may have more elements than its share. Equal shares in every case would move most elements each
/// time.
constexpr double imbalance_allowed = 0.05;
constexpr double blown_up =
    1e4;  // times the heat that was given; badly resolved balls, as in class S, come to some hundred

std::string in_words(double heat) {
  char words[32];
  std::snprintf(words, sizeof words, "%.3g", heat);
  return words;
}

}  // namespace

moving_ball ball_of(const problem& p) {
  return {.start = p.place_in_cube(p.centre), .velocity = p.scaled(p.velocity), .radius = p.scaled(p.radius)};
}

solver_options options_of(const problem& p, exchange_form form, int threads, point_distribution distribution) {
  return {.order = p.order,
          .scheme = {.dt = p.time_step(), .viscosity = p.scaled(p.scaled(p.viscosity)), .flow = p.scaled(p.flow)},
          .iterations = p.iterations,
          .ball = ball_of(p),
          .strength = p.strength,
          .form = form,
          .threads = threads,
          .distribution = distribution};
}

simulation::simulation(const nearfar::team& members, const problem& what, exchange_form form, mesh_source source,
                       int threads, point_distribution distribution)
    : team_(members),
      problem_(what),
      ball_(ball_of(what)),
      source_(source),
      forest_(members, what.levels),
      solver_(members, options_of(what, form, threads, distribution)) {}

void simulation::adapt(double time) {
  adaptive_heat::adapt({ball_.at(time), source_, imbalance_allowed}, forest_, solver_, values_, spent_);
  now_.adapted_at = time;
}

void simulation::start(const run_observer& observer, const continuation& begin) {
  now_ = begin.from;
  forest_.start(ball_.at(now_.adapted_at));
  solver_.set_mesh(part_of(forest_));
  if (observer.adapted) observer.adapted(now_.step, solver_);
  solver_.step(now_.time);
  solver_.elements().clear();
  if (begin.set_values) begin.set_values(solver_);
  if (is_time_to_adapt()) adapt(now_.time);  // of a run that had its end here
  if (observer.advanced) observer.advanced(now_, solver_);
  solver_.reset_times();
  spent_ = {};
}

bool simulation::is_time_to_adapt() const noexcept {
  return now_.step > 0 && now_.step % problem_.adapt_every == 0 && now_.step != problem_.steps &&
         now_.adapted_at != now_.time;
}

run_result simulation::run(const run_observer& observer, const continuation& begin) {
  start(observer, begin);
  run_result result;
  phase_times& spent = result.own;
  nearfar::barrier(team_);
  const double start = MPI_Wtime();
  while (now_.step < problem_.steps) {
    solver_.step(now_.time);
    result.residual_left = std::max(result.residual_left, residual_left());
    now_.time += problem_.time_step();
    ++now_.step;
    const double before = MPI_Wtime();
    if (is_time_to_adapt()) {
      adapt(now_.time);
      spent.adaptation += MPI_Wtime() - before;
      if (observer.adapted) observer.adapted(now_.step, solver_);
    }
    const double points = static_cast<double>(solver_.mesh().all_leaves) * solver_.elements().counts().volume() *
                          (problem_.iterations + 1);
    now_.points += points, result.timed_points += points;
    if (observer.advanced) {
      const double ready = MPI_Wtime();
      observer.advanced(now_, solver_);
      spent.writing += MPI_Wtime() - ready;
    }
  }
  spent.total = MPI_Wtime() - start;
  finish(result);
  return result;
}

/// Of the last step.
double simulation::residual_left() const {
  const std::vector<double>& r = solver_.residuals();
  return r.empty() || !(r.front() > 0) ? 0 : std::sqrt(std::abs(r.back()) / r.front());
}

void simulation::finish(run_result& result) {
  phase_times& own = result.own;
  own.convection = solver_.times().convection, own.diffusion = solver_.times().diffusion;
  double longest[] = {own.total, own.adaptation, own.convection, own.diffusion, own.writing};
  nearfar::allreduce(team_, nearfar::in_place, std::span<double>(longest), nearfar::reduce_op::max);
  const adaptation_times& mesh = solver_.mesh_times();
  spent_.numbering = mesh.numbering, spent_.inspection = mesh.inspection;
  spent_.elements = mesh.elements, spent_.preconditioner = mesh.preconditioner;
  result.adaptation = spent_;
  result.seconds = longest[0], result.adaptation_seconds = longest[1];
  result.convection_seconds = longest[2], result.diffusion_seconds = longest[3], result.writing_seconds = longest[4];
  result.points = now_.points;
  result.integral = solver_.integral() * problem_.length * problem_.length * problem_.length;
  if (!std::isfinite(result.integral) || std::abs(result.integral) > blown_up * std::abs(problem_.heat_given()))
    throw nearfar::usage_error("the temperature has blown up by step " + std::to_string(now_.step) + ": the heat is " +
                               in_words(result.integral) + ", and the source has given " +
                               in_words(problem_.heat_given()) +
                               "; take more diffusivity, smaller elements, a shorter time step or more iterations");
  verify(problem_, result);
}

void verify(const problem& what, run_result& result) {
  result.has_reference = what.integral != 0;
  if (!result.has_reference) return;
  result.relative_error = std::abs(result.integral - what.integral) / what.integral;
  result.is_verified = result.relative_error <= 1e-8;
}

}  // namespace adaptive_heat
