// SPDX-License-Identifier: BSD-3-Clause
// Point sources in homogeneous media, and how far what is computed is from the exact field.
#pragma once

#include <cmath>
#include <nearfar/team.hpp>
#include <solver/propagator.hpp>

#include "kspace.hpp"
#include "materials.hpp"

namespace seismic::test {

/// The original's wavelet: a Ricker with a peak at a third of `cut`, Hz.
inline double wavelet_of(double cut, double t) {
  const double fc = cut / (3 * std::sqrt(std::numbers::pi)), tau = t - 2 * std::sqrt(std::numbers::pi) / cut;
  const double a = std::pow(std::numbers::pi, 3) * fc * fc * tau * tau;
  return (1 - 2 * a) * std::exp(-a);
}

/// In the middle of a medium that repeats. One rank.
struct point_source_run {
  double cut_hz = 40, end_s = 0.15;  ///< the original's, and a time at which the wave has gone some lengths
  grid points{{40, 40, 40}, {12.5, 12.5, 12.5}, {}};

  /// Relative L2 distance of p from `wanted`, at points more than four cells away from the source along some axis.
  double error_of(const nearfar::team& team, system_kind system, const material& m, double dt_s,
                  const std::vector<double>& wanted, int order = 8) const {
    propagator waves(team, points, medium_of(m),
                     {.system = system, .order = order, .dt_s = dt_s, .sides = side_kind::periodic, .threads = 1});
    const auto steps = static_cast<index_t>(std::lround(end_s / dt_s));
    for (index_t n = 0; n < steps; ++n) {
      waves.step();
      for (int f = 0; f < (system == system_kind::self_adjoint ? 1 : waves.fields()); ++f) {
        const field_view v = waves.now(f);
        v.data[points.points[0] / 2 * v.strides[0] + points.points[1] / 2 * v.strides[1] + points.points[2] / 2] +=
            static_cast<float>(dt_s * dt_s * wavelet_of(cut_hz, static_cast<double>(n) * dt_s) * 1e6);
      }
    }
    return distance(waves.now(0), wanted);
  }

  double distance(const field_view& v, const std::vector<double>& wanted) const {
    double off = 0, all = 0;
    std::size_t at = 0;
    for (index_t k = 0; k < points.points[0]; ++k)
      for (index_t j = 0; j < points.points[1]; ++j)
        for (index_t i = 0; i < points.points[2]; ++i, ++at) {
          const auto far = [](index_t n, index_t size) { return std::abs(n - size / 2) > 4; };
          if (!far(k, points.points[0]) && !far(j, points.points[1]) && !far(i, points.points[2])) continue;
          const double is = v.data[k * v.strides[0] + j * v.strides[1] + i], should = 1e6 * wanted[at];
          off += (is - should) * (is - should), all += should * should;
        }
    return std::sqrt(off / all);
  }

  /// The exact field at the end.
  std::vector<double> exact(system_kind system, const material& m, const symbol& of) const {
    const auto wavelet = [this](double t) { return wavelet_of(cut_hz, t); };
    return exact_fields(points, m, of, wavelet, end_s, system == system_kind::self_adjoint ? 0 : 1)[0];
  }
  /// The field of a source in isotropic or elliptical ground, whose epsilon is delta, as a formula: f(t - r / vp) over
  /// 4 pi vp^2 r (1 + 2 epsilon), r measured across the axis in units that are (1 + 2 epsilon)^(1/2) times as long. For
  /// times at which no wave has come around the corner.
  std::vector<double> closed_form(const material& m) const {
    std::vector<double> field;
    const auto& h = points.spacing_m;
    for (index_t k = 0; k < points.points[0]; ++k)
      for (index_t j = 0; j < points.points[1]; ++j)
        for (index_t i = 0; i < points.points[2]; ++i) {
          const std::array<index_t, 3> n{k, j, i};
          double along = 0, square = 0;
          for (std::size_t d = 0; d < 3; ++d) {
            const double away = h[d] * static_cast<double>(n[d] - points.points[d] / 2);
            along += away * m.axis()[d], square += away * away;
          }
          const double longer = 1 + 2 * m.epsilon;
          const double r = std::sqrt(along * along + std::max(0.0, square - along * along) / longer);
          const double t = end_s - r / m.vp, size = h[0] * h[1] * h[2] / (4 * std::numbers::pi * m.vp * m.vp * longer);
          field.push_back(r > 0 && t > 0 ? size * wavelet_of(cut_hz, t) / r : 0);
        }
    return field;
  }
};

}  // namespace seismic::test
