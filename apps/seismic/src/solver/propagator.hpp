// SPDX-License-Identifier: BSD-3-Clause
// Waves on a grid that ranks share: fields at two times, one step after the other.
#pragma once

#include <array>
#include <memory>
#include <nearfar/team.hpp>
#include <solver/engine.hpp>
#include <solver/state_array.hpp>
#include <solver/tile_waves.hpp>
#include <string>
#include <vector>

namespace seismic {

/// The largest of 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten that is not more.
/// With `divided_s` > 0: the largest part of that time instead.
double even_step(double most_s, double divided_s = 0);

/// One field of a rank, with the ghosts of its neighbours.
struct field_view {
  float* data = nullptr;             ///< the first own point
  std::array<index_t, 3> strides{};  ///< floats between neighbours along z, y, x
  nearfar::box own;                  ///< global
  nearfar::box filled;               ///< own and ghost points that hold values of this time
};

/// The discrete self-adjoint operator stays negative, and waves do not grow, while the coefficients of its second
/// field, (vs / vp)^2 and (vs / vp)^2 + g, differ by no more than this. Terms along an axis have some negative weights,
/// which would win between points whose coefficients are larger than those around them by more. @source ours:
/// eigenvalues of the operator along a line with jumps of all widths and at random places
constexpr double largest_contrast(int order) { return order == 4 ? 12 : order == 8 ? 7 : 6; }

/// Ranks cut the grid along z and y; rows along x are whole. The same numbers come out for any ranks, threads and
/// blocks, bit for bit, with the kernels of one name.
class propagator {
 public:
  /// Collective over the team. @throws nearfar::usage_error  on every rank: order, dt that is not stable (with the
  /// largest that is), tiles that are thinner than the stencil, kernels that there are not, no GPU that can be used
  /// @throws nearfar::resource_error  on every rank
  propagator(const nearfar::team& team, const grid& points, const medium& of, const propagator_options& options);

  /// About what a rank's propagator takes. Collective. @throws nearfar::usage_error  as the constructor: order, tiles
  static double expected_bytes(const nearfar::team& team, const grid& points, const propagator_options& options);
  /// What state() of all ranks has. Local.
  static double expected_state_bytes(const grid& points, const propagator_options& options);

  /// From the fields at time n and n - 1 to n + 1. Collective over neighbours. A GPU may still be at it afterwards.
  /// @param done  called by the threads, each time one has computed a block; not on a GPU
  void step(const block_observer& done = {});
  /// A block_observer is called for all blocks, and what it sees is the field at the new time: nothing is added to it
  /// later in the step.
  bool shows_final_blocks() const noexcept { return engine_->has_blocks() && waves_->layers.is_empty(); }

  /// The largest rate of the system as it is put together, heterogeneous and with its sides, from below: bound() is of
  /// homogeneous media. By so many powers of the right-hand side on random numbers. To be called before anything else;
  /// fields are zero after it. Collective. @cost  as so many steps
  double measured_rate(int powers = 20);

  /// Root of the sum of squares of all fields now, in double. Collective.
  double norm_now() const;
  int fields() const noexcept { return waves_->fields(); }
  /// The fields as they are now, at time `steps() * dt`, in the processor's memory; of a GPU's what was there at the
  /// last state(). What is added here before step() counts as part of the field, on a GPU with resume(). Own points
  /// alone are valid.
  field_view now(int field);
  /// The fields at the time before: ghost points too (but corners of the domain's outside), of step()'s exchange; on a
  /// GPU as above. Valid after step().
  field_view before(int field);
  index_t steps() const noexcept { return steps_; }

  /// All that the steps to come depend on: the fields at both times, and what absorbing layers remember. Local; valid
  /// until step().
  std::vector<state_array> state();
  /// What state() lists has been filled with what another run had after so many steps. Local.
  void resume(index_t steps);

  /// Sources, receivers and frames: see engine.
  engine& points() noexcept { return *engine_; }
  /// Returns when all steps are done. Local.
  void wait() { engine_->wait(); }

  /// As it was made, with what was left to it filled in: time step, threads, kernels.
  const propagator_options& options() const noexcept { return waves_->options; }
  double dt_s() const noexcept { return options().dt_s; }
  double cell_volume() const noexcept { return waves_->cell_volume(); }  ///< m^3; of two dimensions m^2
  /// dt^2 vp^2 at own point (0, 0, 0), with the fields' strides: what multiplies a source.
  const float* vp2() const { return waves_->vp2(); }
  const nearfar::box& own() const noexcept { return waves_->tiles.own(); }
  const nearfar::grid& tiles() const noexcept { return waves_->tiles; }
  const tile_shape& shape() const noexcept { return waves_->shape; }
  const coefficients& model() const noexcept { return waves_->model; }
  const stability& bound() const noexcept { return bound_; }  ///< over all ranks
  std::string kernels() const { return engine_->name(); }
  std::string describe() const { return engine_->describe(); }  ///< kernels, tiles and the halo's method. Local

 private:
  void make_damping();
  void make_layers();
  void read_model(const medium& of);
  void choose_dt();
  void check_contrasts() const;
  void fill_at_random();
  field_view view(int level, int field, bool with_ghosts);

  std::unique_ptr<tile_waves> waves_;
  stability bound_;
  index_t steps_ = 0;
  std::unique_ptr<engine> engine_;
};

}  // namespace seismic
