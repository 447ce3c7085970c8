// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <common/agreement.hpp>
#include <cstdio>
#include <kernels/denormals.hpp>
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
double sponge(index from_edge, int cells, double steps_per_cell) {
  if (from_edge >= cells) return 0;
  const double depth = static_cast<double>(cells - from_edge) / cells;
  return 10 * steps_per_cell / cells * depth * depth;
}

}  // namespace

propagator::propagator(const nearfar::team& team, const grid& points, const medium& of,
                       const propagator_options& options)
    : options_(options),
      points_(points),
      tiles_(cut(team, points, options.sides)),
      shape_(shape_of(tiles_.own(), radius_of(options.order), options.ghosts)),
      kernels_(&kernels_named(options.kernels)),
      kernel_(kernels_->of(options.system, shape_.radius)) {
  options_.threads = threads_of(options);
  apps::agree_after(team, [&] { read_model(of); });
  bound_.largest_rate = nearfar::allreduce(team, model_.bound().largest_rate, nearfar::op::max);
  choose_dt();
  if (options_.system == system_kind::self_adjoint) check_contrasts();
  model_.take_in(options_.dt_s, options_.threads);
  make_damping(points);
  make_layers();
  make_blocks();
  make_halos();
}

double propagator::expected_bytes(const nearfar::team& team, const grid& points, const propagator_options& options) {
  const tile_shape shape = shape_of(cut(team, points, options.sides).own(), radius_of(options.order), options.ghosts);
  const double volume = static_cast<double>(shape.volume());
  const double scratch = static_cast<double>(scratch_floats(options.system, shape, options.rows_per_block));
  return sizeof(float) *
         (volume * (2 * fields_of(options.system) + coefficients_of(options.system)) + scratch * threads_of(options));
}

void propagator::read_model(const medium& of) {
  model_ = {options_.system, of, points_, own(), shape_, options_.sides == side_kind::periodic, options_.threads};
  for (std::size_t l = 0; l < 2; ++l)
    for (std::size_t f = 0; f < static_cast<std::size_t>(fields()); ++f)
      levels_[l].fields[f] = huge_array(shape_.volume(), static_cast<int>(2 * l + f));
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
  const double most = bound_.stable_dt();
  if (options_.dt_s == 0) options_.dt_s = even_step(0.9 * most, options_.divided_s);
  if (options_.dt_s > 0 && options_.dt_s <= most) return;
  throw nearfar::usage_error("a time step of " + std::to_string(options_.dt_s * 1000) +
                             " ms is not stable with this medium and grid; at most " + std::to_string(most * 1000) +
                             " ms is");
}

void propagator::check_contrasts() const {
  const nearfar::team& team = tiles_.members();
  const double least = nearfar::allreduce(team, model_.least_coupling(), nearfar::op::min);
  const double most = nearfar::allreduce(team, model_.most_coupling(), nearfar::op::max);
  if (least * largest_contrast(options_.order) >= most) return;
  char words[300];
  std::snprintf(words, sizeof words,
                "the self-adjoint system would grow in this medium: (vs / vp)^2 is %.3g somewhere, and elsewhere what "
                "couples its fields is "
                "%.3g; vs must be at least %.3g vp everywhere (model.clamp = true raises it), or the system fletcher",
                least, most, std::sqrt(most / largest_contrast(options_.order)));
  throw nearfar::usage_error(words);
}

void propagator::make_damping(const grid& points) {
  const double reach_m = options_.dt_s * nearfar::allreduce(tiles_.members(), model_.fastest_m_s(), nearfar::op::max);
  for (int d = 0; d < 3; ++d) {
    const auto at = static_cast<std::size_t>(d);
    const index extent = d == x ? shape_.padded_nx() : tiles_.own().extent(d), all = points.points[at];
    damping_[at].assign(static_cast<std::size_t>(extent + tile_shape::margin), 0.0f);
    if (options_.sides != side_kind::sponge || all == 1) continue;
    for (index n = 0; n < tiles_.own().extent(d); ++n) {
      const index global = tiles_.own().lower[at] + n, above = d == z && options_.has_free_surface ? all : global;
      damping_[at][static_cast<std::size_t>(n)] = static_cast<float>(
          sponge(std::min(above, all - 1 - global), options_.absorbing_cells, reach_m / points.spacing_m[at]));
    }
  }
}

void propagator::make_layers() {
  if (options_.has_free_surface && options_.system != system_kind::isotropic)
    throw nearfar::usage_error("a free surface is for isotropic media: in VTI and TTI media a mirrored field is none");
  if (options_.sides != side_kind::cpml) return;
  if (options_.system != system_kind::isotropic)
    throw nearfar::usage_error(
        "sides of the kind cpml are for isotropic media; in VTI and TTI media they would grow: sponge");
  const nearfar::team& team = tiles_.members();
  const double fastest = nearfar::allreduce(team, model_.fastest_m_s(), nearfar::op::max);
  apps::agree_after(team, [&] {
    layers_ = {points_,
               tiles_.own(),
               shape_,
               {.cells = options_.absorbing_cells,
                .dt_s = options_.dt_s,
                .fastest_m_s = fastest,
                .frequency_hz = options_.frequency_hz,
                .has_free_surface = options_.has_free_surface}};
  });
}

// Blocks are long along z, which kernels march along, and whole along x. Those within the stencil's radius of a
// neighbour's tile are apart: they have to wait for its values.
void propagator::make_blocks() {
  const index ghosts = shape_.ghosts, rows = options_.rows_per_block, planes = 32;
  const auto is_cut = [&](int d) {
    return options_.sides == side_kind::periodic || tiles_.process_grid()[static_cast<std::size_t>(d)] > 1;
  };
  const auto cuts = [](index extent, index rim, index step) {
    std::vector<index> at{0};
    if (rim > 0 && extent > 2 * rim) at.push_back(rim);
    const index end = rim > 0 && extent > 2 * rim ? extent - rim : extent;
    while (at.back() + step < end) at.push_back(at.back() + step);
    if (at.back() < end) at.push_back(end);
    if (end < extent) at.push_back(extent);
    return at;
  };
  const index z_rim = is_cut(z) ? ghosts : 0, y_rim = is_cut(y) && !points_.is_flat() ? ghosts : 0;
  const auto zs = cuts(shape_.nz, z_rim, planes), ys = cuts(shape_.ny, y_rim, rows);
  // x wraps onto this very rank: every row waits for the exchange.
  const bool all_wait = options_.sides == side_kind::periodic;
  for (std::size_t k = 0; k + 1 < zs.size(); ++k)
    for (std::size_t j = 0; j + 1 < ys.size(); ++j) {
      const block_rows b{zs[k], zs[k + 1], ys[j], ys[j + 1]};
      const bool waits = all_wait || b.z_begin < z_rim || b.z_end > shape_.nz - z_rim || b.y_begin < y_rim ||
                         b.y_end > shape_.ny - y_rim;
      (waits ? outer_ : inner_).push_back(b);
    }
  for (int t = 0; t < options_.threads; ++t)
    scratch_.emplace_back(scratch_floats(options_.system, shape_, std::max(rows, ghosts)), t);
}

void propagator::make_halos() {
  const nearfar::team& team = tiles_.members();
  const bool wraps = options_.sides == side_kind::periodic;
  if (team.size() == 1 && !wraps) return;
  const int g = shape_.ghosts, beside = points_.is_flat() ? 0 : g, margin = static_cast<int>(tile_shape::margin);
  const auto behind = static_cast<int>(shape_.padded_nx() - shape_.nx) + margin;
  const nearfar::ghosts has{{g, g}, {g, g}, {margin, behind}};
  const nearfar::ghosts filled{{g, g}, {beside, beside}, {wraps ? g : 0, wraps ? g : 0}};
  for (auto& l : levels_) {
    std::vector<nearfar::halo_part> parts;
    for (std::size_t f = 0; f < static_cast<std::size_t>(fields()); ++f) {
      const nearfar::view<float> array{
          l.fields[f].data(), {shape_.nz + 2 * g, shape_.ny + 2 * g, shape_.row()}, {shape_.plane(), shape_.row(), 1}};
      parts.emplace_back(tiles_, array, has, filled);
    }
    nearfar::halo_options how;
    how.name = "seismic fields", how.method = options_.halo_method;
    // Corners are read by interpolation at receivers, edges by mixed derivatives.
    halos_.emplace_back(std::move(parts), how);
  }
}

field_view propagator::view(level& of, int field, bool with_ghosts) {
  field_view v;
  v.data = of.fields[static_cast<std::size_t>(field)].data() + shape_.at(0, 0, 0);
  v.strides = {shape_.plane(), shape_.row(), 1};
  v.own = v.filled = own();
  if (!with_ghosts) return v;
  for (std::size_t d = 0; d < 2; ++d) v.filled.lower[d] -= shape_.ghosts, v.filled.upper[d] += shape_.ghosts;
  v.filled.lower[2] -= shape_.ghosts, v.filled.upper[2] += shape_.ghosts;
  return v;
}

field_view propagator::now(int field) { return view(levels_[static_cast<std::size_t>(now_)], field, false); }
field_view propagator::before(int field) { return view(levels_[static_cast<std::size_t>(1 - now_)], field, true); }

// Ghost points are not part of it: step() fills those of the fields now before it reads them, and reads no others.
std::vector<state_array> propagator::state() {
  std::vector<state_array> all;
  for (int f = 0; f < fields(); ++f)
    for (const bool is_now : {true, false}) {
      const field_view v = view(levels_[static_cast<std::size_t>(is_now ? now_ : 1 - now_)], f, false);
      all.push_back(
          {std::string(f == 0 ? "p" : "q") + (is_now ? "_now" : "_before"), points_.points, v.own, v.data, v.strides});
    }
  for (state_array& a : layers_.state()) all.push_back(std::move(a));
  return all;
}

double propagator::cell_volume() const noexcept {
  double volume = 1;
  for (std::size_t d = 0; d < 3; ++d) volume *= points_.points[d] == 1 ? 1 : points_.spacing_m[d];
  return volume;
}

const float* propagator::vp2() const {
  const bool is_fletcher = options_.system == system_kind::fletcher_vti || options_.system == system_kind::fletcher_tti;
  return model_.pointers()[is_fletcher ? 2 : 0];
}

// The field is odd about the surface: zero there, and so are its even derivatives.
void propagator::mirror_at_surface() {
  if (!options_.has_free_surface || own().lower[0] > 0) return;
  for (int f = 0; f < fields(); ++f) {
    float* const p = levels_[static_cast<std::size_t>(now_)].fields[static_cast<std::size_t>(f)].data();
    float* const surface = p + shape_.at(0, -shape_.ghosts, -tile_shape::margin);
    std::fill_n(surface, shape_.plane(), 0.0f);
    for (index k = 1; k <= shape_.ghosts; ++k)
      for (index n = 0; n < shape_.plane(); ++n) surface[n - k * shape_.plane()] = -surface[n + k * shape_.plane()];
  }
}

step_arguments propagator::arguments() const {
  step_arguments a;
  a.shape = shape_;
  const auto& now = levels_[static_cast<std::size_t>(now_)].fields;
  const auto& next = levels_[static_cast<std::size_t>(1 - now_)].fields;
  for (std::size_t f = 0; f < static_cast<std::size_t>(fields()); ++f) {
    a.now[f] = now[f].data() + shape_.at(0, 0, 0);
    a.next[f] = const_cast<float*>(next[f].data()) + shape_.at(0, 0, 0);
  }
  a.coefficients = model_.pointers();
  for (std::size_t d = 0; d < 3; ++d)
    a.damping[d] = damping_[d].data(), a.per_metre[d] = static_cast<float>(1 / points_.spacing_m[d]);
  a.is_flat = points_.is_flat(), a.repeats = options_.sides == side_kind::periodic;
  return a;
}

void propagator::compute(const std::vector<block_rows>& blocks, const block_observer& done) {
  const auto count = static_cast<std::ptrdiff_t>(blocks.size());
#pragma omp parallel num_threads(options_.threads)
  {
    const flushed_denormals flushed;
    step_arguments a = common_;
    a.scratch = scratch_[static_cast<std::size_t>(omp_get_thread_num())].data();
#pragma omp for schedule(dynamic)
    for (std::ptrdiff_t n = 0; n < count; ++n) {
      const block_rows& b = blocks[static_cast<std::size_t>(n)];
      a.z_begin = b.z_begin, a.z_end = b.z_end, a.y_begin = b.y_begin, a.y_end = b.y_end;
      kernel_(a);
      if (done) done(a.next[0], b);
    }
  }
}

void propagator::exchange_and_compute(const block_observer& done) {
  common_ = arguments();
  mirror_at_surface();
  if (halos_.empty()) {
    compute(inner_, done);
    compute(outer_, done);
    return;
  }
  nearfar::halo& halo = halos_[static_cast<std::size_t>(now_)];
  halo.start();
  compute(inner_, done);
  halo.finish();
  compute(outer_, done);
}

void propagator::step(const block_observer& done) {
  exchange_and_compute(done);
  if (!layers_.is_empty())
    layers_.add(*kernels_, common_.now[0], common_.next[0], common_.coefficients[0], options_.threads);
  now_ = 1 - now_;
  ++steps_;
}

double propagator::norm_now() const {
  double sum = 0;
  for (int f = 0; f < fields(); ++f) {
    const float* const p = levels_[static_cast<std::size_t>(now_)].fields[static_cast<std::size_t>(f)].data();
#pragma omp parallel for num_threads(options_.threads) reduction(+ : sum) schedule(static)
    for (index k = 0; k < shape_.nz; ++k)
      for (index j = 0; j < shape_.ny; ++j)
        for (index i = 0; i < shape_.nx; ++i) {
          const double value = static_cast<double>(p[shape_.at(k, j, i)]);
          sum += value * value;
        }
  }
  return std::sqrt(nearfar::allreduce(tiles_.members(), sum, nearfar::op::sum));
}

double propagator::measured_rate(int powers) {
  for (int f = 0; f < fields(); ++f) {
    float* const p = levels_[static_cast<std::size_t>(now_)].fields[static_cast<std::size_t>(f)].data();
    for (index k = 0; k < shape_.nz; ++k)
      for (index j = 0; j < shape_.ny; ++j)
        for (index i = 0; i < shape_.nx; ++i) {
          const index number = ((own().lower[0] + k) * points_.points[1] + own().lower[1] + j) * points_.points[2] + i;
          p[shape_.at(k, j, i)] =
              static_cast<float>(random_share(static_cast<std::uint64_t>(f), static_cast<std::uint64_t>(number)) - 0.5);
        }
  }
  double norm = norm_now();
  for (int n = 0; n < powers; ++n) {
    // Of a field that is what it was the step leaves the field and dt^2 times the right-hand side.
    for (std::size_t f = 0; f < static_cast<std::size_t>(fields()); ++f) {
      const auto& now = levels_[static_cast<std::size_t>(now_)].fields[f];
      std::copy_n(now.data(), now.size(), levels_[static_cast<std::size_t>(1 - now_)].fields[f].data());
    }
    exchange_and_compute();
    for (std::size_t f = 0; f < static_cast<std::size_t>(fields()); ++f) {
      const float* const now = levels_[static_cast<std::size_t>(now_)].fields[f].data();
      float* const next = levels_[static_cast<std::size_t>(1 - now_)].fields[f].data();
      for (index at = 0; at < shape_.volume(); ++at) next[at] = (next[at] - now[at]) / static_cast<float>(norm);
    }
    now_ = 1 - now_;
    norm = norm_now();
  }
  for (auto& l : levels_)
    for (std::size_t f = 0; f < static_cast<std::size_t>(fields()); ++f)
      std::fill_n(l.fields[f].data(), shape_.volume(), 0.0f);
  return std::sqrt(norm) / options_.dt_s;
}

std::string propagator::describe() const {
  std::string words = std::string("kernels ") + kernels_->name + ", order " + std::to_string(2 * shape_.radius) + ", " +
                      std::to_string(options_.threads) + " threads per rank; " + tiles_.describe();
  if (!halos_.empty()) words += "; halo: " + halos_.front().method();
  return words;
}

}  // namespace seismic
