// SPDX-License-Identifier: BSD-3-Clause
// The benchmark's time loop: steps, adaptations, and what it comes to.
#pragma once

#include <base/problem.hpp>
#include <functional>
#include <mesh/forest.hpp>
#include <solver/heat_solver.hpp>
#include <string>

namespace adaptive_heat {

enum class mesh_source {
  forest,       ///< ranks refine and coarsen their leaves, and agree with those around them
  closed_form,  ///< each rank works out the whole mesh for itself: adaptation as replicated programs have it
};
/// @throws nearfar::usage_error for another name
mesh_source mesh_source_named(std::string_view name);

struct run_result {
  double integral = 0;
  double seconds = 0;             ///< of the timed steps, the longest of all ranks
  double adaptation_seconds = 0;  ///< of those, the longest of all ranks
  double convection_seconds = 0, diffusion_seconds = 0;
  double points = 0;  ///< advanced: elements after each step x 125 x (iterations + 1)
  bool has_reference = false, is_verified = false;
  double relative_error = 0;

  double mops() const { return points / seconds / 1e6; }
};

struct run_observer {
  /// After each adaptation, step 0 included.
  std::function<void(int step, const heat_solver&)> adapted;
};

class simulation {
 public:
  simulation(const nearfar::team& members, const problem& what, exchange_form form,
             mesh_source source = mesh_source::forest);
  run_result run(const run_observer& observer = {});
  heat_solver& solver() noexcept { return solver_; }

 private:
  void adapt(double time);
  void interpolate(const adaptation& change, std::span<const element_values> old,
                   std::vector<element_values>& fresh) const;

  nearfar::team team_;
  problem problem_;
  moving_ball ball_;
  mesh_source source_;
  forest forest_;
  heat_solver solver_;
};

/// Whether the integral is the reference value to 1e-8.
void verify(const problem& what, run_result& result);

}  // namespace adaptive_heat
