// SPDX-License-Identifier: BSD-3-Clause
// One time step on one mesh: convection element by element, diffusion by conjugate gradients on the mortars.
#pragma once

#include <array>
#include <element/kernels.hpp>
#include <mesh/ball.hpp>
#include <mortar/exchange.hpp>
#include <nearfar/collective_plan.hpp>
#include <solver/adaptation_times.hpp>
#include <solver/element_set.hpp>
#include <solver/mortar_constants.hpp>
#include <solver/mortar_vectors.hpp>
#include <solver/thread_overlaps.hpp>

namespace adaptive_heat {

struct solver_options {
  int order = usual_order;  ///< of the elements
  time_scheme scheme;
  int iterations = 10;
  std::vector<moving_source> sources{{}};
  exchange_form form = exchange_form::copies;
  int threads = 1;                                              ///< of this rank; results do not depend on it
  point_distribution distribution = point_distribution::block;  ///< of the form `distributed`
};

/// Seconds of this rank.
struct solver_times {
  double convection = 0, diffusion = 0;
};

/// The unknowns of a mesh's elements, and what is needed to advance them. Collective over the team but for what says
/// so.
class heat_solver {
 public:
  heat_solver(const nearfar::team& members, const solver_options& options);

  /// Takes another mesh. Values are zero afterwards. @cost everything on the mesh but the diagonals of shapes is made
  /// anew
  void set_mesh(mesh_part part);
  /// Takes another mesh, and values that come from the one before.
  void set_mesh(mesh_part part, const element_sources& values);
  void step(double time);                  ///< from time to time + dt
  double integral();                       ///< of the temperature over the cube; the same bits for any number of ranks
  std::array<double, 2> extremes() const;  ///< the lowest and the highest temperature at any point

  const mesh_part& mesh() const noexcept { return part_; }
  element_set& elements() noexcept { return elements_; }
  const element_set& elements() const noexcept { return elements_; }
  const mortar_layout& layout() const noexcept { return layout_; }
  const solver_times& times() const noexcept { return times_; }
  const adaptation_times& mesh_times() const noexcept {
    return mesh_times_;
  }  ///< of set_mesh: numbering and what follows
  void reset_times() noexcept { times_ = {}, mesh_times_ = {}; }
  std::array<std::int64_t, 2> mortar_counts();  ///< vertices and mortar points of the whole mesh
  const mortar_exchange& exchange() const noexcept { return exchange_; }
  /// <r, M r> at the start of each iteration of the last step.
  const std::vector<double>& residuals() const noexcept { return residuals_; }

  // Pieces of a step, for tests.
  /// z = M r, in vectors().preconditioned, and q = A_hat z, inside and in vectors().product, after the update by the
  /// last iteration's sums. In the first one, vectors().residual holds r. Returns <r, z> and <z, q>.
  cg_sums iterate(const cg_step& step);
  mortar_vectors& vectors() noexcept { return vectors_; }
  const thread_team& threads() const noexcept { return threads_; }

 private:
  void set_mesh(mesh_part part, const element_sources* values);
  void place_sources(double time);
  void convect(double time);
  void make_residual();
  void project(double* vector);
  double iterate_mortars(const cg_step& step);
  void solve();
  template <class Work>
  void with_sum(double* vector, mortar_exchange::where wanted, Work&& work);
  void sum_ordered(double* vector, mortar_exchange::where wanted);
  cg_sums ordered_sums() const;
  index_t active() const noexcept;  ///< mortar points that this rank computes with

  nearfar::team team_;
  solver_options options_;
  thread_team threads_;
  mesh_part part_;
  layout_maker layout_maker_;
  mortar_layout layout_;
  mortar_exchange exchange_;
  mortar_vectors vectors_;
  const kernel_table& kernels_;
  element_set elements_;
  thread_overlaps overlaps_;
  mortar_constants constants_;
  std::vector<double> reference_values_;
  std::vector<cg_sums> block_sums_;
  std::vector<double> mortar_sums_;
  std::unique_ptr<std::array<double, 2>> sums_;  ///< of all ranks, and the plan that makes them so
  bool has_threads_;                             ///< any rank
  std::optional<nearfar::plans::allreduce> reduction_;
  std::vector<double> residuals_;
  std::vector<convected_source> sources_;  ///< of this step
  solver_times times_;
  adaptation_times mesh_times_;
};

}  // namespace adaptive_heat
