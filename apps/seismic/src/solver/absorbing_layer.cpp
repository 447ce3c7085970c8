// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <kernels/denormals.hpp>
#include <nearfar/error.hpp>
#include <numbers>
#include <solver/absorbing_layer.hpp>

namespace seismic {

namespace {

/// a and b of a point at this depth, from 0 where the layer begins to 1 at the side. @source Komatitsch and Martin
/// 2007, with damping that grows with the square of the depth
std::pair<double, double> memory_at(double depth, double thickness_m, const absorbing_options& o) {
  const double strongest = -3 * o.fastest_m_s * std::log(o.reflection) / (2 * thickness_m);
  const double damping = strongest * depth * depth, shift = std::numbers::pi * o.frequency_hz * (1 - depth);
  const double keep = std::exp(-(damping + shift) * o.dt_s);
  return {damping > 0 ? damping / (damping + shift) * (keep - 1) : 0, keep};
}

constexpr index_t planes_per_block = 32, rows_per_block = 8;

/// A tile of which only so much is left along d.
tile_shape thinned(tile_shape shape, int d, index_t width) {
  (d == z ? shape.nz : d == y ? shape.ny : shape.nx) = width;
  return shape;
}

bool is_tilted(system_kind system) {
  return system == system_kind::fletcher_tti || system == system_kind::self_adjoint;
}

}  // namespace

std::vector<absorbing_layers::side> absorbing_layers::sides_of(const grid& points, const nearfar::box& own,
                                                               const absorbing_options& options) {
  std::vector<side> all;
  for (int d = 0; d < 3; ++d) {
    const auto at = static_cast<std::size_t>(d);
    if (points.points[at] == 1) continue;
    for (const bool is_upper : {false, true}) {
      if (d == z && !is_upper && options.has_free_surface) continue;
      const bool has_part =
          is_upper ? own.upper[at] > points.points[at] - options.cells : own.lower[at] < options.cells;
      all.push_back({d, is_upper, has_part, -1});
    }
  }
  return all;
}

absorbing_layers::floats absorbing_layers::expected_floats(const grid& points, const nearfar::box& own,
                                                           const tile_shape& shape, const absorbing_options& options) {
  const index_t width = options.cells + shape.radius;
  const std::vector<side> sides = sides_of(points, own, options);
  floats all;
  const auto add = [&](const tile_shape& slab, int arrays) {
    arrays *= fields_of(options.system);
    all.taken += static_cast<double>(arrays) * static_cast<double>(slab.volume());
    all.state += static_cast<double>(arrays) * static_cast<double>(slab.points());
  };
  for (const side& of : sides) {
    if (!of.has_part) continue;
    const tile_shape slab = thinned(shape, of.d, width);
    add(slab, 2);  // psi and zeta
    for (const side& beside : sides)
      if (is_tilted(options.system) && of.d < beside.d && beside.has_part)
        add(thinned(slab, beside.d, width), 1);  // chi
  }
  return all;
}

absorbing_layers::absorbing_layers(const grid& points, const nearfar::box& own, const tile_shape& shape,
                                   const absorbing_options& options)
    : points_(points),
      own_(own),
      width_(options.cells + shape.radius),
      is_transposed_(options.is_transposed),
      system_(options.system) {
  for (side s : sides_of(points, own, options)) {
    if (s.has_part) s.slab = static_cast<int>(slabs_.size());
    sides_.push_back(s);
    if (s.has_part) add_side(shape, options, s.d, s.is_upper);
  }
  if (has_tilt()) add_edges();
}

bool absorbing_layers::has_tilt() const { return is_tilted(system_); }

index_t absorbing_layers::first_of(const side& s) const { return s.is_upper ? own_.extent(s.d) - width_ : 0; }

void absorbing_layers::add_edges() {
  for (const side& of : sides_)
    for (const side& beside : sides_) {
      if (of.d >= beside.d) continue;
      edges_.push_back({of, beside, -1});
      if (of.slab >= 0 && beside.slab >= 0) add_edge(edges_.back());
    }
}

void absorbing_layers::add_edge(edge& e) {
  const slab &of = slabs_[static_cast<std::size_t>(e.of.slab)],
             &beside = slabs_[static_cast<std::size_t>(e.beside.slab)];
  slab s;
  s.common = of.common, s.common.e = e.beside.d, s.common.rim = 0, s.common.psi_shape = beside.common.slab;
  s.common.slab = thinned(s.common.slab, e.beside.d, width_);
  s.offset = of.offset + beside.offset;
  s.beside = e.beside.slab;
  const index_t first = first_of(e.of);
  const tile_shape& in = beside.common.slab;
  s.beside_offset = in.at(e.of.d == z ? first : 0, e.of.d == y ? first : 0, 0);
  s.from = of.from, s.keep = of.keep;
  for (std::size_t f = 0; f < fields(); ++f) s.zeta.emplace_back(s.common.slab.volume(), static_cast<int>(f));
  e.slab = static_cast<int>(slabs_.size());
  slabs_.push_back(std::move(s));
}

/// A slab of a side, as a part of one array of the whole side.
state_array absorbing_layers::part_of(const side& s) const {
  const auto at = static_cast<std::size_t>(s.d);
  state_array a;
  a.extents = points_.points, a.extents[at] = width_;
  if (s.slab >= 0) a.own = own_, a.own.lower[at] = 0, a.own.upper[at] = width_;
  return a;
}

void absorbing_layers::add_state(std::vector<state_array>& all, state_array a, std::vector<huge_array>& of,
                                 const tile_shape& shape, const std::string& name) const {
  for (std::size_t f = 0; f < fields(); ++f) {
    a.name = name + (f == 0 ? "" : "_q");
    if (!a.own.is_empty()) a.strides = {shape.plane(), shape.row(), 1}, a.data = of[f].data() + shape.at(0, 0, 0);
    all.push_back(a);
  }
}

std::vector<state_array> absorbing_layers::state() {
  std::vector<state_array> all;
  std::vector<huge_array> none;
  const auto label = [](const side& s) { return std::string(1, "zyx"[s.d]) + (s.is_upper ? "_high" : "_low"); };
  for (const side& s : sides_) {
    slab* const mine = s.slab < 0 ? nullptr : &slabs_[static_cast<std::size_t>(s.slab)];
    const tile_shape shape = mine == nullptr ? tile_shape{} : mine->common.slab;
    state_array a = part_of(s);
    a.needed = a.own;
    add_state(all, a, mine == nullptr ? none : mine->zeta, shape, "zeta_" + label(s));
    for (std::size_t d = 0; mine != nullptr && d < 2; ++d) {
      if (static_cast<int>(d) == s.d) continue;
      a.needed.lower[d] = std::max<index_t>(0, a.own.lower[d] - mine->common.rim);
      a.needed.upper[d] = std::min(a.extents[d], a.own.upper[d] + mine->common.rim);
    }
    add_state(all, a, mine == nullptr ? none : mine->psi, shape, "psi_" + label(s));
  }
  for (const edge& e : edges_) {
    slab* const mine = e.slab < 0 ? nullptr : &slabs_[static_cast<std::size_t>(e.slab)];
    state_array a = part_of(e.of);
    const auto at = static_cast<std::size_t>(e.beside.d);
    a.extents[at] = width_;
    a.own = mine == nullptr ? nearfar::box{3, {}, {}} : a.own;
    if (mine != nullptr) a.own.lower[at] = 0, a.own.upper[at] = width_;
    a.needed = a.own;
    add_state(all, a, mine == nullptr ? none : mine->zeta, mine == nullptr ? tile_shape{} : mine->common.slab,
              "chi_" + label(e.of) + "_" + label(e.beside));
  }
  return all;
}

void absorbing_layers::add_side(const tile_shape& shape, const absorbing_options& options, int d, bool is_upper) {
  const auto at = static_cast<std::size_t>(d);
  const index_t width = width_;
  if (own_.extent(d) < width || (is_upper ? own_.upper[at] < points_.points[at] : own_.lower[at] > 0))
    throw nearfar::usage_error("an absorbing layer of " + std::to_string(options.cells) + " cells and a stencil of " +
                               std::to_string(shape.radius) + " need tiles of at least " + std::to_string(width) +
                               " points along " + "zyx"[d] + "; there is one of " + std::to_string(own_.extent(d)) +
                               ": fewer ranks, or a thinner layer");
  slab s;
  slab_arguments& a = s.common;
  a.shape = shape, a.d = d, a.system = system_, a.is_flat = points_.is_flat();
  a.rim = has_tilt() ? shape.radius : 0;
  a.slab = a.psi_shape = thinned(shape, d, width);
  const index_t first = first_of({d, is_upper, true, -1});
  s.offset = shape.at(d == z ? first : 0, d == y ? first : 0, d == x ? first : 0) - shape.at(0, 0, 0);
  for (std::size_t f = 0; f < fields(); ++f) {
    s.psi.emplace_back(a.slab.volume(), static_cast<int>(2 * f));
    s.zeta.emplace_back(a.slab.volume(), static_cast<int>(2 * f + 1));
  }
  s.from.assign(static_cast<std::size_t>(a.slab.padded_nx() + width), 0), s.keep = s.from;
  for (index_t n = 0; n < width; ++n) {
    const double cells_deep = static_cast<double>(is_upper ? n - shape.radius + 1 : options.cells - n);
    if (cells_deep <= 0) continue;
    const auto [from, keep] = memory_at(cells_deep / options.cells, options.cells * points_.spacing_m[at], options);
    s.from[static_cast<std::size_t>(n)] = static_cast<float>(from),
    s.keep[static_cast<std::size_t>(n)] = static_cast<float>(keep);
  }
  slabs_.push_back(std::move(s));
}

std::span<const slab_pass> absorbing_layers::passes() const noexcept {
  static constexpr std::array usual{slab_pass::slope, slab_pass::add};
  static constexpr std::array transposed{slab_pass::weigh, slab_pass::weighed_slope, slab_pass::add_weighed};
  static constexpr std::array of_two_fields{slab_pass::slope, slab_pass::add_tilted, slab_pass::add_edge};
  if (fields() == 2) return of_two_fields;
  return is_transposed_ ? std::span<const slab_pass>(transposed) : std::span<const slab_pass>(usual);
}

slab_arguments absorbing_layers::arguments(const slab& s, const step_arguments& of) {
  slab_arguments a = s.common;
  for (std::size_t f = 0; f < s.zeta.size(); ++f) a.now[f] = of.now[f] + s.offset, a.next[f] = of.next[f] + s.offset;
  for (std::size_t c = 0; c < static_cast<std::size_t>(coefficients_of(a.system)); ++c)
    a.coefficients[c] = of.coefficients[c] + s.offset;
  a.per_metre = of.per_metre;
  return a;
}

void absorbing_layers::add(const kernel_table& kernels, const step_arguments& step, int threads) {
  for (const slab_pass pass : passes())
    for (slab& s : slabs_) {
      if (!is_for(pass, s)) continue;
      slab_arguments a = arguments(s, step);
      a.pass = pass, a.from = s.from.data(), a.keep = s.keep.data();
      for (std::size_t f = 0; f < fields(); ++f) {
        a.zeta[f] = s.zeta[f].data() + a.slab.at(0, 0, 0);
        a.psi[f] = s.beside < 0 ? s.psi[f].data() + a.slab.at(0, 0, 0)
                                : slabs_[static_cast<std::size_t>(s.beside)].psi[f].data() + s.beside_offset;
      }
      const slab_kernel absorb = kernels.absorbing(a.shape.radius);
      const auto rim = [&](int d) { return pass == slab_pass::slope && a.d != d ? a.rim : 0; };
      const index_t above = rim(z), beside = a.is_flat ? 0 : rim(y);
      // Rows of neighbouring planes stay in the cache from plane to plane; two dimensions have no others.
      const index_t planes = a.is_flat ? 1 : planes_per_block;
#pragma omp parallel for num_threads(threads) schedule(static) collapse(2)
      for (index_t k = -above; k < a.slab.nz + above; k += planes)
        for (index_t j = -beside; j < a.slab.ny + beside; j += rows_per_block) {
          const flushed_denormals flushed;
          slab_arguments block = a;
          block.z_begin = k, block.z_end = std::min(k + planes, a.slab.nz + above);
          block.y_begin = j, block.y_end = std::min(j + rows_per_block, a.slab.ny + beside);
          absorb(block);
        }
    }
}

}  // namespace seismic
