// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <common/agreement.hpp>
#include <cstdio>
#include <model/philox.hpp>
#include <nearfar/collective.hpp>
#include <nearfar/error.hpp>
#include <solver/propagator.hpp>

namespace seismic {

namespace {

int radius_of(int order) {
  if (order == 4 || order == 8 || order == 12) return order / 2;
  throw nearfar::usage_error("order " + std::to_string(order) + " in space; there are 4, 8 and 12");
}

nearfar::grid cut(const nearfar::team& team, const grid& points, side_kind sides) {
  nearfar::grid_options options;
  const bool wraps = sides == side_kind::periodic;
  options.periodic = {wraps, wraps && !points.is_flat(), wraps};
  options.process_grid = {points.is_flat() ? team.size() : 0, points.is_flat() ? 1 : 0, 1};
  return {team, {points.points[0], points.points[1], points.points[2]}, options};
}

tile_shape shape_of(const nearfar::box& own, int radius, int ghosts) {
  return {own.extent(0), own.extent(1), own.extent(2), radius, std::max(radius, ghosts)};
}

int threads_of(const propagator_options& options) {
  return options.threads > 0 ? options.threads : omp_get_max_threads();
}

/// Damping per step of a point so many cells from the edge: none inside of the sponge, most at the edge. With 40 cells
/// and waves of 20 cells of length, half as much or twice as much lets 5 to 10 dB more come back. @source Cerjan et al.
/// 1985 in its purpose; the profile is ours
double sponge(index_t from_edge, int cells, double steps_per_cell) {
  if (from_edge >= cells) return 0;
  const double depth = static_cast<double>(cells - from_edge) / cells;
  return 10 * steps_per_cell / cells * depth * depth;
}

}  // namespace

propagator::propagator(const nearfar::team& team, const grid& points, const medium& of,
                       const propagator_options& options) {
  nearfar::grid tiles = cut(team, points, options.sides);
  const tile_shape shape = shape_of(tiles.own(), radius_of(options.order), options.ghosts);
  waves_ =
      std::make_unique<tile_waves>(tile_waves{.options = options, .points = points, .tiles = tiles, .shape = shape});
  waves_->options.threads = threads_of(options);
  if (!options.is_on_gpu()) kernels_named(options.kernels);  // refused before the work begins
  apps::agree_after(team, [&] { read_model(of); });
  bound_.largest_rate = nearfar::allreduce(team, waves_->model.bound().largest_rate, nearfar::reduce_op::max);
  choose_dt();
  if (options.system == system_kind::self_adjoint) check_contrasts();
  waves_->model.take_in(dt_s(), this->options().threads);
  make_damping();
  make_layers();
  engine_ = options.is_on_gpu() ? gpu_engine_of(*waves_) : host_engine_of(*waves_);
}

namespace {

absorbing_layers::floats layer_floats(const grid& points, const nearfar::box& own, const tile_shape& shape,
                                      const propagator_options& options) {
  if (options.sides != side_kind::cpml) return {};
  return absorbing_layers::expected_floats(
      points, own, shape,
      {.cells = options.absorbing_cells, .has_free_surface = options.has_free_surface, .system = options.system});
}

}  // namespace

double propagator::expected_bytes(const nearfar::team& team, const grid& points, const propagator_options& options) {
  const nearfar::box own = cut(team, points, options.sides).own();
  const tile_shape shape = shape_of(own, radius_of(options.order), options.ghosts);
  const double volume = static_cast<double>(shape.volume());
  const double scratch =
      static_cast<double>(scratch_floats(options.system, shape, std::max(options.rows_per_block, 64)));
  return sizeof(float) * (volume * (2 * fields_of(options.system) + coefficients_of(options.system)) +
                          scratch * threads_of(options) + layer_floats(points, own, shape, options).taken);
}

double propagator::expected_state_bytes(const grid& points, const propagator_options& options) {
  const nearfar::box all = points.whole();
  const double fields = 2.0 * fields_of(options.system) * static_cast<double>(points.size());
  return sizeof(float) *
         (fields + layer_floats(points, all, shape_of(all, radius_of(options.order), 0), options).state);
}

void propagator::read_model(const medium& of) {
  waves_->model = {options().system, of, waves_->points, own(), shape(), waves_->repeats(), options().threads};
  for (std::size_t l = 0; l < 2; ++l)
    for (std::size_t f = 0; f < static_cast<std::size_t>(fields()); ++f)
      waves_->levels[l][f] = huge_array(shape().volume(), static_cast<int>(2 * l + f));
}

double even_step(double most_s, double divided_s) {
  if (divided_s > 0) return divided_s / std::ceil(divided_s / most_s);
  constexpr std::array<double, 11> even{8, 6, 5, 4, 3, 2.5, 2, 1.75, 1.5, 1.25, 1};
  const double power = std::pow(10.0, std::floor(std::log10(most_s)));
  for (const double e : even)
    if (e * power <= most_s) return e * power;
  return power;
}

void propagator::choose_dt() {
  propagator_options& options = waves_->options;
  const double most = bound_.stable_dt();
  if (options.dt_s == 0) options.dt_s = even_step(0.9 * most, options.divided_s);
  if (options.dt_s > 0 && options.dt_s <= most) return;
  throw nearfar::usage_error("a time step of " + std::to_string(options.dt_s * 1000) +
                             " ms is not stable with this medium and grid; at most " + std::to_string(most * 1000) +
                             " ms is");
}

void propagator::check_contrasts() const {
  const propagator_options& options = waves_->options;
  const nearfar::team& team = tiles().team();
  const double least = nearfar::allreduce(team, model().least_coupling(), nearfar::reduce_op::min);
  const double most = nearfar::allreduce(team, model().most_coupling(), nearfar::reduce_op::max);
  if (least * largest_contrast(options.order) >= most) return;
  char words[300];
  std::snprintf(words, sizeof words,
                "the self-adjoint system would grow in this medium: (vs / vp)^2 is %.3g somewhere, and elsewhere what "
                "couples its fields is "
                "%.3g; vs must be at least %.3g vp everywhere (model.clamp = true raises it), or the system fletcher",
                least, most, std::sqrt(most / largest_contrast(options.order)));
  throw nearfar::usage_error(words);
}

void propagator::make_damping() {
  const double fastest = nearfar::allreduce(tiles().team(), model().fastest_m_s(), nearfar::reduce_op::max);
  const propagator_options& options = waves_->options;
  const grid& points = waves_->points;
  for (int d = 0; d < 3; ++d) {
    const auto at = static_cast<std::size_t>(d);
    const index_t extent = d == x ? shape().padded_nx() : own().extent(d), all = points.points[at];
    std::vector<float>& damping = waves_->damping[at];
    damping.assign(static_cast<std::size_t>(extent + tile_shape::margin), 0.0f);
    if (options.sides != side_kind::sponge || all == 1) continue;
    for (index_t n = 0; n < own().extent(d); ++n) {
      const index_t global = own().lower[at] + n, above = d == z && options.has_free_surface ? all : global;
      damping[static_cast<std::size_t>(n)] = static_cast<float>(
          sponge(std::min(above, all - 1 - global), options.absorbing_cells, dt_s() * fastest / points.spacing_m[at]));
    }
  }
}

void propagator::make_layers() {
  const propagator_options& options = waves_->options;
  if (options.has_free_surface && options.system != system_kind::isotropic)
    throw nearfar::usage_error("a free surface is for isotropic media: in VTI and TTI media a mirrored field is none");
  if (options.sides != side_kind::cpml) return;
  if (options.system != system_kind::isotropic && options.is_transposed)
    throw nearfar::usage_error("the transpose of a step with sides of the kind cpml is for isotropic media: sponge");
  const nearfar::team& team = tiles().team();
  const double fastest = nearfar::allreduce(team, model().fastest_m_s(), nearfar::reduce_op::max);
  apps::agree_after(team, [&] {
    waves_->layers = {waves_->points,
                      own(),
                      shape(),
                      {.cells = options.absorbing_cells,
                       .dt_s = options.dt_s,
                       .fastest_m_s = fastest,
                       .frequency_hz = options.frequency_hz,
                       .has_free_surface = options.has_free_surface,
                       .is_transposed = options.is_transposed,
                       .system = options.system}};
  });
}

field_view propagator::view(int level, int field, bool with_ghosts) {
  field_view v;
  v.data = waves_->field(level, field);
  v.strides = {shape().plane(), shape().row(), 1};
  v.own = v.filled = own();
  if (!with_ghosts) return v;
  for (std::size_t d = 0; d < 3; ++d) v.filled.lower[d] -= shape().ghosts, v.filled.upper[d] += shape().ghosts;
  return v;
}

field_view propagator::now(int field) { return view(waves_->now, field, false); }
field_view propagator::before(int field) { return view(1 - waves_->now, field, true); }

// Ghost points are not part of it: step() fills those of the fields now before it reads them, and reads no others.
std::vector<state_array> propagator::state() {
  engine_->fetch();
  std::vector<state_array> all;
  for (int f = 0; f < fields(); ++f)
    for (const bool is_now : {true, false}) {
      const field_view v = view(is_now ? waves_->now : 1 - waves_->now, f, false);
      all.push_back({std::string(f == 0 ? "p" : "q") + (is_now ? "_now" : "_before"), waves_->points.points, v.own,
                     v.own, v.data, v.strides});
    }
  for (state_array& a : waves_->layers.state()) all.push_back(std::move(a));
  return all;
}

void propagator::resume(index_t steps) {
  engine_->store();
  steps_ = steps;
}

void propagator::step(const block_observer& done) {
  engine_->advance(true, done);
  waves_->now = 1 - waves_->now;
  ++steps_;
}

double propagator::norm_now() const {
  return std::sqrt(nearfar::allreduce(tiles().team(), engine_->sum_of_squares(), nearfar::reduce_op::sum));
}

void propagator::fill_at_random() {
  const index_t row = waves_->points.points[2], plane = row * waves_->points.points[1];
  const index_t planes = shape().nz, rows = shape().ny;
  for (int f = 0; f < fields(); ++f) {
    float* const p = waves_->field(waves_->now, f);
#pragma omp parallel for collapse(2) num_threads(options().threads) schedule(static)
    for (index_t k = 0; k < planes; ++k)
      for (index_t j = 0; j < rows; ++j) {
        const index_t number = (own().lower[0] + k) * plane + (own().lower[1] + j) * row;
        for (index_t i = 0; i < row; ++i)
          p[k * shape().plane() + j * shape().row() + i] = static_cast<float>(
              random_share(static_cast<std::uint64_t>(f), static_cast<std::uint64_t>(number + i)) - 0.5);
      }
  }
  engine_->store();
}

double propagator::measured_rate(int powers) {
  fill_at_random();
  double norm = norm_now();
  for (int n = 0; n < powers; ++n) {
    // Of a field that is what it was the step leaves the field and dt^2 times the right-hand side.
    engine_->hold();
    engine_->advance(false, {});
    engine_->subtract(norm);
    waves_->now = 1 - waves_->now;
    norm = norm_now();
  }
  engine_->clear();
  return std::sqrt(norm) / dt_s();
}

}  // namespace seismic
