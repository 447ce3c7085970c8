// SPDX-License-Identifier: BSD-3-Clause
// The benchmark's time loop: steps, adaptations, and what it comes to.
#pragma once

#include <base/problem.hpp>
#include <functional>
#include <mesh/forest.hpp>
#include <solver/adapt.hpp>
#include <solver/heat_solver.hpp>
#include <string>

namespace adaptive_heat {

/// How far a run has come.
struct run_state {
  int step = 0;
  double time = 0;
  double adapted_at = 0;  ///< the time whose ball the mesh is for
  double points = 0;      ///< advanced: elements after each step x their points x (iterations + 1)
};

/// Seconds.
struct phase_times {
  double total = 0, convection = 0, diffusion = 0, adaptation = 0;
  double writing = 0;  ///< what the observer takes
};

struct run_result {
  double integral = 0;
  std::array<double, 2> temperatures{};  ///< at the end: the lowest and the highest at any point
  double seconds = 0;                    ///< of the timed steps, the longest of all ranks
  double adaptation_seconds = 0;         ///< of those, the longest of all ranks
  double convection_seconds = 0, diffusion_seconds = 0, writing_seconds = 0;
  phase_times own;              ///< of this rank
  adaptation_times adaptation;  ///< of this rank
  double points = 0;            ///< of all steps, those before a restart included
  double residual_left = 0;     ///< of what a step's iterations began with, before the last one: the most of all steps
  double timed_points = 0;
  bool has_reference = false, is_verified = false;
  double relative_error = 0;

  double mops() const { return timed_points / seconds / 1e6; }
};

struct run_observer {
  /// After each adaptation, step 0 included.
  std::function<void(int step, const heat_solver&)> adapted;
  /// Where the run begins and after each step. Its time counts as writing.
  std::function<void(const run_state&, const heat_solver&)> advanced;
};

/// Where a run goes on. The values are set once the mesh of that state is there, in equal shares.
struct continuation {
  run_state from;
  std::function<void(heat_solver&)> set_values;
};

/// The sources of a problem, where its mesh is finest, and how to solve it, on the unit cube, whose side is a unit of
/// length.
std::vector<moving_source> sources_of(const problem& p);
hot_region region_of(const problem& p, double time);
solver_options options_of(const problem& p, exchange_form form, int threads = 1,
                          point_distribution distribution = point_distribution::block);

class simulation {
 public:
  simulation(const nearfar::team& members, const problem& what, exchange_form form,
             mesh_source source = mesh_source::forest, int threads = 1,
             point_distribution distribution = point_distribution::block);
  /// @throws nearfar::usage_error on every rank if the temperature is no longer finite at the end
  run_result run(const run_observer& observer = {}, const continuation& begin = {});
  heat_solver& solver() noexcept { return solver_; }

 private:
  void start(const run_observer& observer, const continuation& begin);
  void adapt(double time);
  bool is_time_to_adapt() const noexcept;
  double residual_left() const;
  void heat_the_start();
  void finish(run_result& result);

  nearfar::team team_;
  problem problem_;
  mesh_source source_;
  forest forest_;
  heat_solver solver_;
  run_state now_;
  value_transfer values_;
  adaptation_times spent_;
};

/// Whether the integral is the reference value to 1e-8.
void verify(const problem& what, run_result& result);

}  // namespace adaptive_heat
