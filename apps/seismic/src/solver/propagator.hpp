// SPDX-License-Identifier: BSD-3-Clause
// Waves on a grid that ranks share: fields at two times, one step after the other.
#pragma once

#include <array>
#include <functional>
#include <grid/sides.hpp>
#include <kernels/kernels.hpp>
#include <memory/huge_array.hpp>
#include <model/medium.hpp>
#include <nearfar/grid.hpp>
#include <nearfar/halo.hpp>
#include <nearfar/team.hpp>
#include <solver/absorbing_layer.hpp>
#include <solver/state_array.hpp>
#include <string>
#include <vector>

namespace seismic {

struct propagator_options {
  system_kind system = system_kind::isotropic;
  int order = 8;    ///< in space: 4, 8 or 12
  double dt_s = 0;  ///< 0: 0.9 of the largest that is stable, a little less so that times are even: see even_step()
  double divided_s = 0;                ///< with dt_s = 0: a time that is to be a multiple of the step; 0: none
  side_kind sides = side_kind::rigid;  ///< random: as rigid; the velocities are the medium's business
  int absorbing_cells = 0;             ///< of sponge or cpml
  double frequency_hz = 10;            ///< of the waves, for cpml
  bool has_free_surface =
      false;              ///< at z = 0, where the field is zero and beyond which it has the other sign; isotropic media
  int threads = 0;        ///< 0: what OpenMP says
  std::string kernels{};  ///< a name of usable_kernels(); "": the fastest
  std::string halo_method{};  ///< "": tuned
  int rows_per_block = 32;    ///< of a thread's work
  int ghosts = 0;             ///< at least so many, for who reads before(); the stencil's radius at least
};

/// The largest of 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten that is not more.
/// With `divided_s` > 0: the largest part of that time instead.
double even_step(double most_s, double divided_s = 0);

/// One field of a rank, with the ghosts of its neighbours.
struct field_view {
  float* data = nullptr;           ///< the first own point
  std::array<index, 3> strides{};  ///< floats between neighbours along z, y, x
  nearfar::box own;                ///< global
  nearfar::box filled;             ///< own and ghost points that hold values of this time
};

/// Own rows of a rank, counted from its first one: rows of planes.
struct block_rows {
  index z_begin = 0, z_end = 0, y_begin = 0, y_end = 0;
};
/// Sees p at the new time while it is in a cache.
/// @param p  its own point (0, 0, 0), with the strides of field_view
using block_observer = std::function<void(const float* p, const block_rows& rows)>;

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
  /// largest that is), tiles that are thinner than the stencil, kernels that there are not
  /// @throws nearfar::resource_error  on every rank
  propagator(const nearfar::team& team, const grid& points, const medium& of, const propagator_options& options);

  /// About what a rank's propagator takes. Collective. @throws nearfar::usage_error  as the constructor: order, tiles
  static double expected_bytes(const nearfar::team& team, const grid& points, const propagator_options& options);

  /// From the fields at time n and n - 1 to n + 1. Collective over neighbours.
  /// @param done  called by the threads, each time one has computed a block
  void step(const block_observer& done = {});
  /// What a block_observer sees is the field at the new time: nothing is added to it later in the step.
  bool are_blocks_final() const noexcept { return layers_.is_empty(); }

  /// The largest rate of the system as it is put together, heterogeneous and with its sides, from below: bound() is of
  /// homogeneous media. By so many powers of the right-hand side on random numbers. To be called before anything else;
  /// fields are zero after it. Collective. @cost  as so many steps
  double measured_rate(int powers = 20);

  /// Root of the sum of squares of all fields now, in double. Collective.
  double norm_now() const;
  int fields() const noexcept { return fields_of(options_.system); }
  /// The fields as they are now, at time `steps() * dt`. What is added here before step() counts as part of the field.
  /// Own points alone are valid.
  field_view now(int field);
  /// The fields at the time before: ghost points too (but corners of the domain's outside), of step()'s exchange. Valid
  /// after step().
  field_view before(int field);
  index steps() const noexcept { return steps_; }

  /// All that the steps to come depend on: the fields at both times, and what absorbing layers remember. Local; valid
  /// until step().
  std::vector<state_array> state();
  /// What state() lists has been filled with what another run had after so many steps. Local.
  void resume(index steps) noexcept { steps_ = steps; }

  double dt_s() const noexcept { return options_.dt_s; }

  system_kind system() const noexcept { return options_.system; }
  double cell_volume() const noexcept;  ///< m^3; of two dimensions m^2
  /// dt^2 vp^2 at own point (0, 0, 0), with the fields' strides: what multiplies a source.
  const float* vp2() const;
  const nearfar::box& own() const noexcept { return tiles_.own(); }
  const nearfar::grid& tiles() const noexcept { return tiles_; }
  const tile_shape& shape() const noexcept { return shape_; }
  const coefficients& model() const noexcept { return model_; }
  const stability& bound() const noexcept { return bound_; }  ///< over all ranks
  const kernel_table& kernels() const noexcept { return *kernels_; }
  int threads() const noexcept { return options_.threads; }
  std::string describe() const;  ///< kernels, tiles and the halo's method. Local

 private:
  struct level {
    std::array<huge_array, 2> fields;
  };

  void make_damping(const grid& points);
  void make_layers();
  void make_blocks();
  void make_halos();
  void read_model(const medium& of);
  void choose_dt();
  void check_contrasts() const;
  void mirror_at_surface();
  void compute(const std::vector<block_rows>& blocks, const block_observer& done);
  void exchange_and_compute(const block_observer& done = {});
  step_arguments arguments() const;
  field_view view(level& of, int field, bool with_ghosts);

  propagator_options options_;
  grid points_;
  nearfar::grid tiles_;
  tile_shape shape_;
  const kernel_table* kernels_;
  step_kernel kernel_;
  coefficients model_;
  stability bound_;
  std::array<level, 2> levels_;
  int now_ = 0;
  index steps_ = 0;
  std::vector<nearfar::halo> halos_;  ///< of each level; none where nothing comes from elsewhere
  std::array<std::vector<float>, 3> damping_;
  absorbing_layers layers_;
  std::vector<block_rows> inner_, outer_;  ///< that need no ghosts, and that do
  std::vector<huge_array> scratch_;        ///< of each thread
  step_arguments common_;
};

}  // namespace seismic
