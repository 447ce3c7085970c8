// SPDX-License-Identifier: BSD-3-Clause
// What the sides of a grid send back: runs with absorbing layers against runs in a grid so large that nothing comes
// back.
#pragma once

#include <algorithm>
#include <cmath>
#include <nearfar/team.hpp>
#include <numbers>
#include <solver/propagator.hpp>
#include <vector>

#include "materials.hpp"

namespace seismic::test {

/// Ricker's wavelet of so many hertz.
inline double pulse_at(double peak_hz, double t) {
  const double a = std::pow(std::numbers::pi * peak_hz * (t - 1.2 / peak_hz), 2);
  return (1 - 2 * a) * std::exp(-a);
}

/// p within some points around a source, with layers around them. One rank.
struct reflection_run {
  static constexpr double h = 10, peak_hz = 15, dt_s = 0.001;

  std::array<index_t, 3> inner, source;  ///< points, and which of them is driven
  medium ground;
  propagator_options options;  ///< with the layers
  index_t steps = 500;
  index_t far = 110;  ///< so many points beyond the inner ones nothing comes back from
  int every = 10;     ///< steps between the times that are compared

  using films = std::vector<std::vector<float>>;

  films with_layers(const nearfar::team& team) const { return run(team, options.absorbing_cells, options); }
  films without_sides(const nearfar::team& team) const {
    propagator_options open = options;
    open.sides = side_kind::rigid;
    return run(team, far, open);
  }
  std::size_t place(index_t k, index_t j, index_t i) const {
    return static_cast<std::size_t>((k * inner[1] + j) * inner[2] + i);
  }

  /// The largest difference, dB of the largest value that hits the sides: the direct wave's there.
  double reflected_db(const nearfar::team& team) const {
    const films is = with_layers(team), should = without_sides(team);
    double reference = 0, off = 0;
    for (std::size_t n = 0; n < is.size(); ++n) {
      for (index_t k = 0; k < inner[0]; ++k)
        for (index_t i = 0; i < inner[2]; ++i)
          if (k == 0 || i == 0 || k == inner[0] - 1 || i == inner[2] - 1)
            reference = std::max(reference, size(should[n][place(k, source[1], i)]));
      for (std::size_t at = 0; at < is[n].size(); ++at) off = std::max(off, size(is[n][at] - should[n][at]));
    }
    return 20 * std::log10(off / reference);
  }

  /// Relative L2 of traces at points as deep as the source, so many beyond it along x.
  std::vector<double> trace_errors(const nearfar::team& team, const std::vector<index_t>& beyond) const {
    const films is = with_layers(team), should = without_sides(team);
    std::vector<double> errors;
    for (const index_t away : beyond) {
      const std::size_t at = place(source[0], source[1], source[2] + away);
      double off = 0, all = 0;
      for (std::size_t n = 0; n < is.size(); ++n)
        off += std::pow(size(is[n][at] - should[n][at]), 2), all += std::pow(size(should[n][at]), 2);
      errors.push_back(std::sqrt(off / all));
    }
    return errors;
  }

  /// What the top sends to points as deep as the source, where it comes from under so many degrees to the vertical, dB
  /// of a wave that has gone as far. Its path has to be shorter than that by another side, by a pulse.
  std::vector<double> reflected_db_at(const nearfar::team& team, const std::vector<double>& degrees, double m_s) const {
    const films is = with_layers(team), should = without_sides(team);
    std::vector<double> db;
    for (const double angle : degrees) {
      const double away = 2 * static_cast<double>(source[0]) * std::tan(angle * std::numbers::pi / 180);
      const index_t i = source[2] + std::lround(away);
      const double path_m = h * std::hypot(2 * static_cast<double>(source[0]), away);
      const auto last = static_cast<std::size_t>((path_m / m_s + 2.4 / peak_hz) / dt_s / every);
      double off = 0, reference = 0;
      for (std::size_t n = 0; n < std::min(last, is.size()); ++n) {
        const std::size_t at = place(source[0], 0, i);
        off = std::max(off, size(is[n][at] - should[n][at]));
        reference = std::max(reference, size(should[n][place(3 * source[0], 0, i)]));
      }
      db.push_back(20 * std::log10(off / reference));
    }
    return db;
  }

 private:
  static double size(float value) { return std::abs(static_cast<double>(value)); }

  films run(const nearfar::team& team, index_t beyond, propagator_options with) const {
    grid points{{}, {h, h, h}, {}};
    std::array<index_t, 3> first{};
    for (std::size_t d = 0; d < 3; ++d) {
      const index_t more = inner[d] == 1 ? 0 : beyond;
      points.points[d] = inner[d] + 2 * more, first[d] = more;
    }
    with.dt_s = dt_s, with.frequency_hz = peak_hz, with.threads = 1;
    propagator waves(team, points, ground, with);
    films seen;
    for (index_t n = 0; n < steps; ++n) {
      waves.step();
      for (int f = 0; f < waves.fields(); ++f) {
        const field_view v = waves.now(f);
        v.data[(first[0] + source[0]) * v.strides[0] + (first[1] + source[1]) * v.strides[1] + first[2] + source[2]] +=
            static_cast<float>(pulse_at(peak_hz, static_cast<double>(n) * dt_s));
      }
      if (n % every == every - 1) seen.push_back(inner_points(waves.now(0), first));
    }
    return seen;
  }
  std::vector<float> inner_points(const field_view& v, const std::array<index_t, 3>& first) const {
    std::vector<float> values;
    for (index_t k = 0; k < inner[0]; ++k)
      for (index_t j = 0; j < inner[1]; ++j) {
        const float* row = v.data + (first[0] + k) * v.strides[0] + (first[1] + j) * v.strides[1] + first[2];
        values.insert(values.end(), row, row + inner[2]);
      }
    return values;
  }
};

/// A source 50 m below the top and receivers beside it up to 2 km away: waves go along the side.
inline reflection_run survey_near_the_top(system_kind system, const material& m, side_kind sides, int cells) {
  return {{60, 1, 240}, {5, 0, 20}, medium_of(m), {.system = system, .sides = sides, .absorbing_cells = cells}, 1150,
          140,          5};
}

/// How a pulse goes on over many steps: whether layers let it grow. One rank.
struct growth_run {
  grid points;
  medium ground;
  propagator_options options;

  /// The largest norm of the fields behind a tenth of the steps, over that when the source has ended.
  double growth(const nearfar::team& team, index_t steps) const {
    propagator waves(team, points, ground, options);
    double first = 0, most = 0;
    for (index_t n = 0; n < steps; ++n) {
      if (n < 60)
        for (int f = 0; f < (options.system == system_kind::self_adjoint ? 1 : waves.fields()); ++f) {
          const field_view v = waves.now(f);
          v.data[points.points[0] / 2 * v.strides[0] + points.points[1] / 2 * v.strides[1] + points.points[2] / 2] +=
              static_cast<float>(std::exp(-0.01 * static_cast<double>((n - 30) * (n - 30))));
        }
      waves.step();
      if (n == 60) first = waves.norm_now();
      if (n > steps / 10 && n % 50 == 0) most = std::max(most, waves.norm_now());
    }
    return most / first;
  }
};

}  // namespace seismic::test
