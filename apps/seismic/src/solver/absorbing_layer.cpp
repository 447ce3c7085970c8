// SPDX-License-Identifier: BSD-3-Clause
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

}  // namespace

absorbing_layers::absorbing_layers(const grid& points, const nearfar::box& own, const tile_shape& shape,
                                   const absorbing_options& options)
    : points_(points), own_(own), width_(options.cells + shape.radius), is_transposed_(options.is_transposed) {
  for (int d = 0; d < 3; ++d) {
    const auto at = static_cast<std::size_t>(d);
    if (points.points[at] == 1) continue;
    for (const bool is_upper : {false, true}) {
      if (d == z && !is_upper && options.has_free_surface) continue;
      const bool has_part =
          is_upper ? own.upper[at] > points.points[at] - options.cells : own.lower[at] < options.cells;
      sides_.push_back({d, is_upper, has_part ? static_cast<int>(slabs_.size()) : -1});
      if (has_part) add_side(points, own, shape, options, d, is_upper);
    }
  }
}

std::vector<state_array> absorbing_layers::state() {
  std::vector<state_array> all;
  for (const side& s : sides_) {
    const auto at = static_cast<std::size_t>(s.d);
    state_array a;
    a.extents = points_.points, a.extents[at] = width_;
    if (s.slab >= 0) {
      a.own = own_, a.own.lower[at] = 0, a.own.upper[at] = width_;
      const tile_shape& shape = slabs_[static_cast<std::size_t>(s.slab)].common.slab;
      a.strides = {shape.plane(), shape.row(), 1};
    }
    for (const bool is_psi : {true, false}) {
      a.name = std::string(is_psi ? "psi_" : "zeta_") + "zyx"[s.d] + (s.is_upper ? "_high" : "_low");
      if (s.slab >= 0) {
        slab& mine = slabs_[static_cast<std::size_t>(s.slab)];
        a.data = (is_psi ? mine.psi : mine.zeta).data() + mine.common.slab.at(0, 0, 0);
      }
      all.push_back(a);
    }
  }
  return all;
}

void absorbing_layers::add_side(const grid& points, const nearfar::box& own, const tile_shape& shape,
                                const absorbing_options& options, int d, bool is_upper) {
  const auto at = static_cast<std::size_t>(d);
  const index_t width = options.cells + shape.radius;
  if (own.extent(d) < width || (is_upper ? own.upper[at] < points.points[at] : own.lower[at] > 0))
    throw nearfar::usage_error("an absorbing layer of " + std::to_string(options.cells) + " cells and a stencil of " +
                               std::to_string(shape.radius) + " need tiles of at least " + std::to_string(width) +
                               " points along " + "zyx"[d] + "; there is one of " + std::to_string(own.extent(d)) +
                               ": fewer ranks, or a thinner layer");
  slab s;
  slab_arguments& a = s.common;
  a.shape = shape, a.slab = shape, a.d = d;
  (d == z ? a.slab.nz : d == y ? a.slab.ny : a.slab.nx) = width;
  const index_t first = is_upper ? own.extent(d) - width : 0;
  s.offset = shape.at(d == z ? first : 0, d == y ? first : 0, d == x ? first : 0) - shape.at(0, 0, 0);
  s.psi = huge_array(a.slab.volume(), 0), s.zeta = huge_array(a.slab.volume(), 1);
  s.from.assign(static_cast<std::size_t>(a.slab.padded_nx() + width), 0), s.keep = s.from;
  for (index_t n = 0; n < width; ++n) {
    const double cells_deep = static_cast<double>(is_upper ? n - shape.radius + 1 : options.cells - n);
    if (cells_deep <= 0) continue;
    const auto [from, keep] = memory_at(cells_deep / options.cells, options.cells * points.spacing_m[at], options);
    s.from[static_cast<std::size_t>(n)] = static_cast<float>(from),
    s.keep[static_cast<std::size_t>(n)] = static_cast<float>(keep);
  }
  a.per_metre = static_cast<float>(1 / points.spacing_m[at]);
  slabs_.push_back(std::move(s));
}

std::span<const slab_pass> absorbing_layers::passes() const noexcept {
  static constexpr std::array usual{slab_pass::slope, slab_pass::add};
  static constexpr std::array transposed{slab_pass::weigh, slab_pass::weighed_slope, slab_pass::add_weighed};
  return is_transposed_ ? std::span<const slab_pass>(transposed) : std::span<const slab_pass>(usual);
}

void absorbing_layers::add(const kernel_table& kernels, const float* now, float* next, const float* vp2, int threads) {
  for (slab& s : slabs_) {
    slab_arguments a = s.common;
    const slab_kernel absorb = kernels.absorbing(a.shape.radius);
    const index_t first = a.slab.at(0, 0, 0);
    a.now = now + s.offset, a.next = next + s.offset, a.vp2 = vp2 + s.offset;
    a.psi = s.psi.data() + first, a.zeta = s.zeta.data() + first, a.from = s.from.data(), a.keep = s.keep.data();
    for (const slab_pass pass : passes()) {
      a.pass = pass;
#pragma omp parallel for num_threads(threads) schedule(static)
      for (index_t k = 0; k < a.slab.nz; ++k) {
        const flushed_denormals flushed;
        slab_arguments plane = a;
        plane.z_begin = k, plane.z_end = k + 1;
        absorb(plane);
      }
    }
  }
}

}  // namespace seismic
