// SPDX-License-Identifier: BSD-3-Clause
// How fast fronts of P waves are: exactly, and as receivers on a ray see them.
#pragma once

#include <cmath>
#include <memory>
#include <nearfar/error.hpp>
#include <nearfar/team.hpp>
#include <numbers>
#include <solver/shot.hpp>
#include <vector>

#include "materials.hpp"

namespace seismic::test {

/// Of a plane P wave at this angle to the axis. @source Tsvankin 1996, Geophysics 61, 467: exact for VTI
inline double phase_velocity(const material& m, double angle) {
  const double f = 1 - m.vs * m.vs / (m.vp * m.vp), s = std::pow(std::sin(angle), 2);
  const double twice = std::pow(std::sin(2 * angle), 2), e = 1 + 2 * m.epsilon * s / f;
  return m.vp * std::sqrt(1 + m.epsilon * s - f / 2 + f / 2 * std::sqrt(e * e - 2 * (m.epsilon - m.delta) * twice / f));
}

/// Of energy that goes along a ray at this angle to the axis.
inline double group_velocity(const material& m, double ray) {
  const auto slope = [&](double a) { return (phase_velocity(m, a + 1e-5) - phase_velocity(m, a - 1e-5)) / 2e-5; };
  ray = std::acos(std::abs(std::cos(ray)));
  double low = 0, high = std::numbers::pi / 2;
  for (int n = 0; n < 60; ++n) {
    const double a = (low + high) / 2;
    (a + std::atan(slope(a) / phase_velocity(m, a)) < ray ? low : high) = a;
  }
  return std::hypot(phase_velocity(m, low), slope(low));
}

/// By how many samples `late` comes after `early`: the top of their correlation, between samples too.
inline double delay_of(const std::vector<double>& early, const std::vector<double>& late, index_t around) {
  const auto correlation = [&](index_t shift) {
    double sum = 0;
    for (index_t n = 0; n < static_cast<index_t>(early.size()); ++n)
      if (n + shift >= 0 && n + shift < static_cast<index_t>(late.size()))
        sum += early[static_cast<std::size_t>(n)] * late[static_cast<std::size_t>(n + shift)];
    return sum;
  };
  index_t best = around - 60;
  for (index_t shift = around - 60; shift <= around + 60; ++shift)
    if (correlation(shift) > correlation(best)) best = shift;
  const double a = correlation(best - 1), b = correlation(best), c = correlation(best + 1);
  return static_cast<double>(best) + (a - c) / (2 * (a - 2 * b + c));
}

/// A source in the middle of a homogeneous medium, and receivers around it.
struct front_run {
  system_kind system = system_kind::fletcher_tti;
  material ground;
  grid points{{321, 1, 321}, {12.5, 12.5, 12.5}, {}};
  double peak_hz = 20, dt_s = 0.0005;

  double delay_s() const { return usual_ricker_delay_s(peak_hz); }
  /// A point so far from the source. In two dimensions y is 0.
  position away(const std::array<double, 3>& metres) const {
    position p{};
    for (std::size_t d = 0; d < 3; ++d)
      p[d] = points.spacing_m[d] * static_cast<double>(points.points[d] / 2) + metres[d];
    return p;
  }

  /// What receivers see of the P wave that comes from the source at these times, tapered before and after. On the root.
  std::vector<std::vector<double>> traces(const nearfar::team& team, const std::vector<position>& receivers,
                                          const std::vector<double>& arrivals_s) const {
    propagator waves(team, points, medium_of(ground), {.system = system, .dt_s = dt_s, .threads = 1, .ghosts = 4});
    acquisition what;
    const auto weights = [&](const position& p) { return weights_of(p, points, points.whole(), {}, "point"); };
    what.sources.push_back({weights(away({})), ricker_wavelet(peak_hz, delay_s()), 1e6, true});
    for (const position& p : receivers) what.receivers.push_back(weights(p));
    shot now(waves, what);
    const double last = *std::max_element(arrivals_s.begin(), arrivals_s.end()) + 2 * delay_s();
    while (static_cast<double>(waves.steps()) * dt_s < last) now.step();
    const std::vector<float> flat = now.traces(team);
    std::vector<std::vector<double>> all;
    const auto samples = static_cast<std::size_t>(now.samples());
    for (std::size_t r = 0; !flat.empty() && r < receivers.size(); ++r) {
      all.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(r * samples),
                       flat.begin() + static_cast<std::ptrdiff_t>((r + 1) * samples));
      for (std::size_t n = 0; n < samples; ++n) {
        const double off = (static_cast<double>(n) * dt_s - arrivals_s[r] - delay_s()) / delay_s();
        all.back()[n] *= std::abs(off) < 1 ? std::pow(std::cos(std::numbers::pi / 2 * off), 2) : 0;
      }
    }
    return all;
  }

  /// Measured over exact velocities of P along rays, unit vectors (z, y, x), from receivers at two distances. One rank.
  std::vector<double> velocity_ratios(const nearfar::team& team, const std::vector<std::array<double, 3>>& rays,
                                      double near_m, double far_m) const {
    std::vector<position> receivers;
    std::vector<double> times;
    for (const auto& ray : rays) {
      double along = 0;
      for (std::size_t d = 0; d < 3; ++d) along += ray[d] * ground.axis()[d];
      for (const double r : {near_m, far_m}) {
        receivers.push_back(away({r * ray[0], r * ray[1], r * ray[2]}));
        times.push_back(r / group_velocity(ground, std::acos(std::clamp(along, -1.0, 1.0))));
      }
    }
    const auto seen = traces(team, receivers, times);
    std::vector<double> ratios;
    for (std::size_t r = 0; r < rays.size(); ++r) {
      const double wanted = (times[2 * r + 1] - times[2 * r]) / dt_s;
      ratios.push_back(wanted / delay_of(seen[2 * r], seen[2 * r + 1], std::lround(wanted)));
    }
    return ratios;
  }

  /// Velocity of normal moveout, from the times at receivers so deep under the source: t^2 = t0^2 + (x / v)^2 + ...,
  /// the next term taken out by two offsets. A vertical axis, one rank.
  double normal_moveout_m_s(const nearfar::team& team, double depth_m, double offset_m) const {
    std::vector<position> receivers;
    std::vector<double> times;
    for (const double x : {0.0, offset_m, 2 * offset_m}) {
      receivers.push_back(away({depth_m, 0, x}));
      times.push_back(std::hypot(depth_m, x) / group_velocity(ground, std::atan2(x, depth_m)));
    }
    const auto seen = traces(team, receivers, times);
    const auto slowness_square = [&](std::size_t r) {
      const double x = offset_m * static_cast<double>(r);
      const double later = dt_s * delay_of(seen[0], seen[r], std::lround((times[r] - times[0]) / dt_s));
      return later * (2 * times[0] + later) / (x * x);
    };
    return 1 / std::sqrt((4 * slowness_square(1) - slowness_square(2)) / 3);
  }
};

}  // namespace seismic::test
