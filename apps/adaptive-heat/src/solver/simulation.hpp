// SPDX-License-Identifier: BSD-3-Clause
// The benchmark's time loop: steps, adaptations, and what it comes to.
#pragma once

#include <base/problem.hpp>
#include <functional>
#include <solver/heat_solver.hpp>
#include <string>

namespace adaptive_heat {

/// Makes this rank's part of the mesh around the ball. Collective over the team.
using mesh_maker = std::function<mesh_part(const ball&)>;
/// Blocks of equal size out of the closed form, which every rank works out for itself.
mesh_maker closed_form_mesh(const nearfar::team& members, int levels);

struct run_result {
  double integral = 0;
  double seconds = 0;             ///< of the timed steps, the longest of all ranks
  double adaptation_seconds = 0;  ///< of those, the longest of all ranks
  double convection_seconds = 0, diffusion_seconds = 0;
  double points = 0;             ///< advanced: elements after each step x 125 x (iterations + 1)
  double bytes_per_element = 0;  ///< peak memory of the processes over elements, less what they had before
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
  simulation(const nearfar::team& members, const problem& what, exchange_form form, mesh_maker make_mesh);
  run_result run(const run_observer& observer = {});
  heat_solver& solver() noexcept { return solver_; }

 private:
  void adapt(double time);

  nearfar::team team_;
  problem problem_;
  moving_ball ball_;
  mesh_maker make_mesh_;
  heat_solver solver_;
};

/// Whether the integral is the reference value to 1e-8.
void verify(const problem& what, run_result& result);

}  // namespace adaptive_heat
