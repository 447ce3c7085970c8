// SPDX-License-Identifier: BSD-3-Clause
// The same schemes as the kernels', in double and as plainly as can be: whole arrays, one difference after the other.
//
// What the kernels do is compared with it to the rounding of floats, and what holds exactly for the scheme, to that of
// doubles.
#pragma once

#include <cmath>
#include <numbers>
#include <points/points.hpp>
#include <solver/propagator.hpp>
#include <vector>

#include "materials.hpp"

namespace seismic::test {

class reference_waves {
 public:
  using field = std::vector<double>;

  /// Options as the propagator has them; the time step is given. No free surface.
  reference_waves(const grid& points, const medium& of, const propagator_options& options)
      : points_(points),
        options_(options),
        weights_{first_derivative(options.order / 2), second_derivative(options.order / 2)} {
    for (std::size_t p = 0; p < of.properties.size(); ++p) {
      std::vector<float> values(static_cast<std::size_t>(points.size()));
      if (of.properties[p] != nullptr) of.properties[p]->read(points.whole(), values);
      ground_[p].assign(values.begin(), values.end());
    }
    for (auto& of_time : u_) of_time.assign(fields_of(options.system), zeros());
    for (std::size_t d = 0; d < 3; ++d) psi_[d] = zeta_[d] = zeros();
    make_axes();
    if (options.system == system_kind::self_adjoint) make_matrices();
    make_sides();
  }

  void step() {
    const std::vector<field>& now = u_[now_];
    if (options_.sides == side_kind::cpml && now.size() == 2) stretch(now);
    std::vector<field> change = options_.system == system_kind::isotropic      ? isotropic(now)
                                : options_.system == system_kind::self_adjoint ? self_adjoint(now)
                                                                               : fletcher(now);
    if (options_.sides == side_kind::cpml && now.size() == 1)
      add(change[0], options_.is_transposed ? weighed_layers() : layers());
    for (std::size_t f = 0; f < now.size(); ++f)
      for_points([&](std::size_t at, const std::array<index_t, 3>& n) {
        const double keep = 1 - damping_[0][index_of(n[0])] - damping_[1][index_of(n[1])] - damping_[2][index_of(n[2])];
        double& next = u_[1 - now_][f][at];
        next = now[f][at] + keep * (now[f][at] - next) + rate(at) * change[f][at];
      });
    now_ = 1 - now_;
  }

  const field& now(int f) const { return u_[now_][static_cast<std::size_t>(f)]; }

  /// As a shot does: in p alone for the self-adjoint system, else in all fields, times dt^2 vp^2.
  void drive(const point_weights& where, double value) {
    field rates = zeros();
    for (std::size_t at = 0; at < rates.size(); ++at) rates[at] = rate(at);
    for (std::size_t f = 0; f < (options_.system == system_kind::self_adjoint ? 1 : u_[now_].size()); ++f)
      inject(field_part<double>{u_[now_][f].data(), strides(), points_.whole()},
             field_part<const double>{rates.data(), strides(), points_.whole()}, where, value);
  }
  double read_at(const point_weights& where) const {
    return read(field_part<const double>{u_[now_][0].data(), strides(), points_.whole()}, where);
  }

 private:
  static std::size_t index_of(index_t n) { return static_cast<std::size_t>(n); }
  field zeros() const { return field(static_cast<std::size_t>(points_.size()), 0.0); }
  std::array<index_t, 3> strides() const { return {points_.points[1] * points_.points[2], points_.points[2], 1}; }
  bool repeats() const { return options_.sides == side_kind::periodic; }

  template <class Act>
  void for_points(const Act& act) const {
    std::size_t at = 0;
    for (index_t k = 0; k < points_.points[0]; ++k)
      for (index_t j = 0; j < points_.points[1]; ++j)
        for (index_t i = 0; i < points_.points[2]; ++i) act(at++, std::array<index_t, 3>{k, j, i});
  }
  /// The place `by` points further along d: around the corner or, where the grid ends, the last one.
  std::size_t beside(std::array<index_t, 3> n, std::size_t d, index_t by) const {
    const index_t all = points_.points[d];
    n[d] = repeats() ? (n[d] + by + all) % all : std::clamp<index_t>(n[d] + by, 0, all - 1);
    return index_of((n[0] * points_.points[1] + n[1]) * points_.points[2] + n[2]);
  }
  /// Fields are zero outside.
  field differ(const field& u, std::size_t d, bool is_second) const {
    field result = zeros();
    const index_t all = points_.points[d], stride = strides()[d], outer = points_.size() / (all * stride);
    if (all == 1) return result;
    const double h = points_.spacing_m[d], scale = is_second ? 1 / (h * h) : 1 / h;
    for (index_t n = 0; n < all; ++n)
      for (int r = -options_.order / 2; r <= options_.order / 2; ++r) {
        const index_t from = repeats() ? (n + r + all) % all : n + r;
        if (from < 0 || from >= all) continue;
        const double w = scale * weights_[is_second ? 1 : 0][index_of(std::abs(r))] * (is_second || r > 0 ? 1 : -1);
        for (index_t o = 0; o < outer; ++o) {
          const double* const in = u.data() + (o * all + from) * stride;
          double* const out = result.data() + (o * all + n) * stride;
          for (index_t i = 0; i < stride; ++i) out[i] += w * in[i];
        }
      }
    return result;
  }
  field first(const field& u, std::size_t d) const { return differ(u, d, false); }
  field second(const field& u, std::size_t d) const { return differ(u, d, true); }
  static void add(field& to, const field& what, double times = 1) {
    for (std::size_t at = 0; at < to.size(); ++at) to[at] += times * what[at];
  }
  static field product(const field& a, const field& b) {
    field c(a.size());
    for (std::size_t at = 0; at < a.size(); ++at) c[at] = a[at] * b[at];
    return c;
  }

  const field& of(property_kind kind) const { return ground_[static_cast<std::size_t>(kind)]; }
  material at(std::size_t n) const {
    return {ground_[0][n], ground_[1][n], ground_[2][n], ground_[3][n], ground_[4][n], ground_[5][n]};
  }
  double rate(std::size_t n) const { return std::pow(options_.dt_s * of(property_kind::vp)[n], 2); }

  std::vector<field> isotropic(const std::vector<field>& u) const {
    field sum = zeros();
    for (std::size_t d = 0; d < 3; ++d) add(sum, second(u[0], d));
    return {sum};
  }

  /// Of symmetry; vertical for VTI.
  void make_axes() {
    for (auto& component : axis_) component = zeros();
    for (std::size_t n = 0; n < axis_[0].size(); ++n) {
      const auto axis = options_.system == system_kind::fletcher_vti ? std::array<double, 3>{1, 0, 0} : at(n).axis();
      for (std::size_t d = 0; d < 3; ++d) axis_[d][n] = axis[d];
    }
  }

  /// Over vp^2, as step() multiplies by it.
  std::vector<field> fletcher(const std::vector<field>& u) const {
    std::array<field, 2> h1{zeros(), zeros()}, h2{zeros(), zeros()};
    for (std::size_t f = 0; f < 2; ++f) {
      for (std::size_t d = 0; d < 3; ++d)
        for (std::size_t e = 0; e < 3; ++e) {
          field part = d == e ? second(u[f], d) : first(first(u[f], d), e);
          if (options_.sides == side_kind::cpml) add(part, stretched_[f].of_second(d, e));
          for (std::size_t n = 0; n < part.size(); ++n) h1[f][n] += axis_[d][n] * axis_[e][n] * part[n];
          if (d == e) add(h2[f], part);
        }
      add(h2[f], h1[f], -1);
    }
    std::vector<field> change{zeros(), zeros()};
    for (std::size_t n = 0; n < h1[0].size(); ++n) {
      const material m = at(n);
      const double s = m.vs * m.vs / (m.vp * m.vp);
      change[0][n] = (1 + 2 * m.epsilon) * h2[0][n] + h1[1][n] + s * (h1[0][n] - h1[1][n]);
      change[1][n] = (1 + 2 * m.delta) * h2[0][n] + h1[1][n] - s * (h2[0][n] - h2[1][n]);
    }
    return change;
  }

  /// C of two fields along two dimensions.
  field matrix(std::size_t f, std::size_t to, std::size_t d, std::size_t e) const {
    field c = zeros();
    for (std::size_t n = 0; n < c.size(); ++n) {
      const material m = at(n);
      const double fraction = 1 - m.vs * m.vs / (m.vp * m.vp);
      const double g = 2 * fraction * (m.epsilon - m.delta) / (fraction + 2 * m.epsilon);
      const double own = f != to ? 0 : f == 0 ? 1 + 2 * m.epsilon : 1 - fraction;
      const double alpha = f != to ? std::sqrt(std::max(0.0, g * (fraction - g))) : f == 0 ? -(2 * m.epsilon + g) : g;
      c[n] = (d == e ? own : 0) + alpha * axis_[d][n] * axis_[e][n];
    }
    return c;
  }
  void make_matrices() {
    for (std::size_t pair = 0; pair < 3; ++pair)
      for (std::size_t d = 0; d < 3; ++d) {
        for (std::size_t e = 0; e < 3; ++e) matrices_[pair][d][e] = matrix(pair / 2, (pair + 1) / 2, d, e);
        seconds_[pair][d] = second_of_medium(matrices_[pair][d][d], d);
      }
  }
  /// S C, where C goes on outside as it is at the last point.
  field second_of_medium(const field& c, std::size_t d) const {
    field result = zeros();
    for_points([&](std::size_t at, const std::array<index_t, 3>& n) {
      double sum = 0;
      for (int r = -options_.order / 2; r <= options_.order / 2; ++r)
        sum += weights_[1][index_of(std::abs(r))] * c[beside(n, d, r)];
      result[at] = points_.points[d] == 1 ? 0 : sum / (points_.spacing_m[d] * points_.spacing_m[d]);
    });
    return result;
  }
  std::vector<field> self_adjoint(const std::vector<field>& u) const {
    std::array<std::array<field, 3>, 2> slopes, bends;
    for (std::size_t f = 0; f < 2; ++f)
      for (std::size_t d = 0; d < 3; ++d) slopes[f][d] = first(u[f], d), bends[f][d] = second(u[f], d);
    std::vector<field> change{zeros(), zeros()};
    for (std::size_t to = 0; to < 2; ++to)
      for (std::size_t d = 0; d < 3; ++d) {
        field flux = zeros(), own = zeros();
        for (std::size_t f = 0; f < 2; ++f) {
          const auto& c = matrices_[f + to][d];
          for (std::size_t e = 0; e < 3; ++e)
            if (e != d) add(flux, product(c[e], slopes[f][e]));
          add(own, product(c[d], u[f]));
          add(change[to], product(c[d], bends[f][d]), 0.5), add(change[to], product(u[f], seconds_[f + to][d]), -0.5);
        }
        add(change[to], first(flux, d)), add(change[to], second(own, d), 0.5);
      }
    if (options_.sides == side_kind::cpml)
      for (std::size_t to = 0; to < 2; ++to) add_stretched(to, change[to]);
    return change;
  }
  void add_stretched(std::size_t to, field& sum) const {
    for (std::size_t f = 0; f < 2; ++f)
      for (std::size_t d = 0; d < 3; ++d)
        for (std::size_t e = 0; e < 3; ++e) {
          const field& c = matrices_[f + to][d][e];
          const memories& m = stretched_[f];
          add(sum, product(c, d == e ? m.bend[d] : m.mixed[d][e]));
          if (d == e) continue;
          add(sum, product(c, m.corner[d][e])), add(sum, first(product(c, m.psi[d]), e));
        }
  }

  /// Of one field in media with two: what layers add to derivatives, as tilted_layers.hpp says.
  struct memories {
    std::array<field, 3> psi, zeta, bend;               ///< the last: to the second derivative along d
    std::array<std::array<field, 3>, 3> mixed, corner;  ///< d psi_d / de; chi of d and e, the same both ways
    field of_second(std::size_t d, std::size_t e) const {
      field sum = d == e ? bend[d] : mixed[d][e];
      if (d != e) add(sum, mixed[e][d]), add(sum, corner[d][e]);
      return sum;
    }
  };
  void stretch(const std::vector<field>& u) {
    for (std::size_t f = 0; f < 2; ++f) {
      memories& m = stretched_[f];
      for (std::size_t d = 0; d < 3; ++d) {
        if (m.psi[d].empty()) m.psi[d] = m.zeta[d] = zeros(), m.corner[d] = {zeros(), zeros(), zeros()};
        remember(m.psi[d], first(u[f], d), d);
        for (std::size_t e = 0; e < 3; ++e) m.mixed[d][e] = first(m.psi[d], e);
        field bent = second(u[f], d);
        add(bent, m.mixed[d][d]);
        remember(m.zeta[d], bent, d);
        m.bend[d] = m.mixed[d][d], add(m.bend[d], m.zeta[d]);
      }
      for (std::size_t d = 0; d < 3; ++d)
        for (std::size_t e = d + 1; e < 3; ++e) {
          remember(m.corner[d][e], m.mixed[e][d], d);
          m.corner[e][d] = m.corner[d][e];
        }
    }
  }

  // The layers of the sides, as the formulas of absorbing_loops.hpp say, on whole arrays.
  void remember(field& memory, const field& what, std::size_t d) {
    for_points([&](std::size_t at, const std::array<index_t, 3>& n) {
      memory[at] = keep_[d][index_of(n[d])] * memory[at] + from_[d][index_of(n[d])] * what[at];
    });
  }
  field layers() {
    const field& p = u_[now_][0];
    field sum = zeros();
    for (std::size_t d = 0; d < 3; ++d) {
      remember(psi_[d], first(p, d), d);
      const field slope = first(psi_[d], d);
      field bend = second(p, d);
      add(bend, slope);
      remember(zeta_[d], bend, d);
      add(sum, slope), add(sum, zeta_[d]);
    }
    return sum;
  }
  field weighed_layers() {
    const field& p = u_[now_][0];
    field sum = zeros();
    for (std::size_t d = 0; d < 3; ++d) {
      remember(zeta_[d], p, d);
      field both = p;
      add(both, zeta_[d]);
      remember(psi_[d], first(both, d), d);
      add(sum, first(psi_[d], d)), add(sum, second(zeta_[d], d));
    }
    return sum;
  }
  void make_sides() {
    double fastest = 0;
    for (std::size_t n = 0; n < ground_[0].size(); ++n)
      fastest = std::max(fastest, at(n).vp * std::sqrt(1 + 2 * std::max(0.0, at(n).epsilon)));
    const double cells = options_.absorbing_cells, dt = options_.dt_s;
    for (std::size_t d = 0; d < 3; ++d) {
      const index_t all = points_.points[d];
      const double h = points_.spacing_m[d];
      for (auto* profile : {&damping_[d], &from_[d], &keep_[d]}) profile->assign(static_cast<std::size_t>(all), 0.0);
      for (index_t n = 0; n < all && all > 1; ++n) {
        const double depth = 1 - static_cast<double>(std::min(n, all - 1 - n)) / std::max(1.0, cells);
        if (depth <= 0) continue;
        if (options_.sides == side_kind::sponge)
          damping_[d][index_of(n)] = 10 * dt * fastest / h / cells * depth * depth;
        if (options_.sides != side_kind::cpml) continue;
        const double damping = -3 * fastest * std::log(1e-7) / (2 * cells * h) * depth * depth;
        const double shift = std::numbers::pi * options_.frequency_hz * (1 - depth);
        keep_[d][index_of(n)] = std::exp(-(damping + shift) * dt);
        from_[d][index_of(n)] = damping / (damping + shift) * (keep_[d][index_of(n)] - 1);
      }
    }
  }

  grid points_;
  propagator_options options_;
  std::array<std::array<double, largest_radius + 1>, 2> weights_;  ///< of first and second differences
  std::array<field, 6> ground_;                                    ///< by property_kind
  std::array<field, 3> axis_;                                      ///< z, y, x
  std::array<std::array<std::array<field, 3>, 3>, 3> matrices_;    ///< C of p and p, p and m, m and m
  std::array<std::array<field, 3>, 3> seconds_;                    ///< S C of their diagonals
  std::array<std::vector<field>, 2> u_;
  std::size_t now_ = 0;
  std::array<field, 3> psi_, zeta_;
  std::array<memories, 2> stretched_;
  std::array<std::vector<double>, 3> damping_, from_, keep_;
};

}  // namespace seismic::test
