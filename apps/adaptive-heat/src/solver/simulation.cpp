// SPDX-License-Identifier: BSD-3-Clause
// The run protocol of NPB UA: one step for nothing, then all of them against the clock.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <element/operators.hpp>
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

static moving_source moving(const problem& p, const heat_ball& b, const std::array<double, 3>& velocity) {
  return {{.start = p.place_in_cube(b.centre), .velocity = p.scaled(velocity), .radius = p.scaled(b.radius)},
          b.strength};
}

std::vector<moving_source> sources_of(const problem& p) {
  std::vector<moving_source> all;
  for (const heat_ball& b : p.sources()) all.push_back(moving(p, b, b.velocity));
  return all;
}

/// Sources that give nothing count only where there is nothing else.
hot_region region_of(const problem& p, double time) {
  std::vector<ball> balls;
  for (const heat_ball& b : p.at_start) balls.push_back(moving(p, b, p.flow).ball.at(time));
  for (const moving_source& s : sources_of(p))
    if (s.strength != 0 || balls.empty()) balls.push_back(s.ball.at(time));
  return hot_region(std::move(balls));
}

solver_options options_of(const problem& p, exchange_form form, int threads, point_distribution distribution) {
  return {.order = p.order,
          .scheme = {.dt = p.time_step(), .viscosity = p.scaled(p.scaled(p.viscosity)), .flow = p.scaled(p.flow)},
          .iterations = p.iterations,
          .sources = sources_of(p),
          .form = form,
          .threads = threads,
          .distribution = distribution};
}

simulation::simulation(const nearfar::team& members, const problem& what, exchange_form form, mesh_source source,
                       int threads, point_distribution distribution)
    : team_(members),
      problem_(what),
      source_(source),
      forest_(members, what.levels),
      solver_(members, options_of(what, form, threads, distribution)) {}

void simulation::adapt(double time) {
  adaptive_heat::adapt({region_of(problem_, time), source_, imbalance_allowed}, forest_, solver_, values_, spent_);
  now_.adapted_at = time;
}

void simulation::start(const run_observer& observer, const continuation& begin) {
  now_ = begin.from;
  forest_.start(region_of(problem_, now_.adapted_at));
  solver_.set_mesh(part_of(forest_));
  if (observer.adapted) observer.adapted(now_.step, solver_);
  solver_.step(now_.time);
  solver_.elements().clear();
  begin.set_values ? begin.set_values(solver_) : heat_the_start();
  if (is_time_to_adapt()) adapt(now_.time);  // of a run that had its end here
  if (observer.advanced) observer.advanced(now_, solver_);
  solver_.reset_times();
  spent_ = {};
}

/// Values of balls that are hot at the start. The surface stays cold.
void simulation::heat_the_start() {
  if (problem_.at_start.count == 0) return;
  const operators& op = ops(problem_.order);
  for (std::size_t n = 0; n < solver_.mesh().leaves.size(); ++n) {
    const octant& leaf = solver_.mesh().leaves[n];
    const double side = problem_.length * leaf.side() / cube_side;
    const std::array<double, 3> corner{static_cast<double>(leaf.x), static_cast<double>(leaf.y),
                                       static_cast<double>(leaf.z)};
    element_values values = solver_.elements().values(n);
    for (std::size_t q = 0; q < values.size(); ++q) {
      std::array<double, 3> place{};
      bool is_on_surface = false;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double within =
            (op.zeta[static_cast<std::size_t>(op.counts.coordinate(static_cast<int>(q), static_cast<int>(axis)))] + 1) /
            2;
        const double in_cube = problem_.length * corner[axis] / cube_side + side * within;
        is_on_surface = is_on_surface || in_cube <= 0 || in_cube >= problem_.length;
        place[axis] = problem_.origin[axis] + in_cube;
      }
      values[q] = is_on_surface ? 0 : problem_.at_start.value_at(place);
    }
    solver_.elements().set_values(n, values);
  }
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
  result.temperatures = solver_.extremes();
  result.integral = solver_.integral() * problem_.length * problem_.length * problem_.length;
  if (!std::isfinite(result.integral) || std::abs(result.integral) > blown_up * problem_.heat_moved())
    throw nearfar::usage_error("the temperature has blown up by step " + std::to_string(now_.step) + ": the heat is " +
                               in_words(result.integral) + ", and the sources and the start have given " +
                               in_words(problem_.heat_moved()) +
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
