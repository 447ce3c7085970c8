// SPDX-License-Identifier: BSD-3-Clause
// Standing P waves of a homogeneous medium that repeats: what the differences in space make of their velocity, step by
// step through the kernels.
//
// Leap-frog turns a frequency w into w' with cos(w' dt) = 1 - (w dt)^2 / 2, exactly. Compared with a wave of w', what
// is left is the error of the differences in space.
#pragma once

#include <nearfar/team.hpp>
#include <solver/propagator.hpp>

#include "kspace.hpp"
#include "materials.hpp"

namespace seismic::test {

inline symbol symbol_of(system_kind system, const material& m) {
  if (system == system_kind::isotropic) return isotropic_symbol(m);
  return system == system_kind::self_adjoint ? self_adjoint_symbol(m) : fletcher_symbol(m);
}

/// So many waves along z, y and x of a cube.
struct standing_wave {
  system_kind system = system_kind::isotropic;
  int order = 8;
  material ground;
  std::array<int, 3> waves{};
  double side_m = 1000;
  int periods = 3;
};

/// The P mode of a wave vector: the square of its frequency, and p and q.
struct p_mode {
  double square = 0;
  std::array<double, 2> fields{1, 0};
};
inline p_mode p_mode_of(const standing_wave& w) {
  double along = 0, square = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const double k = 2 * std::numbers::pi * w.waves[d] / w.side_m;
    along += w.ground.axis()[d] * k, square += k * k;
  }
  const auto s = symbol_of(w.system, w.ground)(along * along, std::max(0.0, square - along * along));
  if (w.system == system_kind::isotropic) return {s[0], {1, 0}};
  const double root = std::sqrt(std::pow((s[0] - s[3]) / 2, 2) + s[1] * s[2]), largest = (s[0] + s[3]) / 2 + root;
  return {largest, {1, std::abs(s[1]) > 1e-9 * largest ? (largest - s[0]) / s[1] : s[2] / (largest - s[3])}};
}

/// The wave on a grid of `points` to each side, after whole periods and a quarter, when phases show best: the relative
/// error of its velocity. Collective.
inline double velocity_error(const nearfar::team& team, const standing_wave& w, index_t points) {
  const double h = w.side_m / static_cast<double>(points);
  const grid cube{{points, points, points}, {h, h, h}, {}};
  const p_mode mode = p_mode_of(w);
  propagator_options options{.system = w.system, .order = w.order, .sides = side_kind::periodic, .threads = 1};
  options.dt_s = 1e-6;  // to ask what could be
  const double most = propagator(team, cube, medium_of(w.ground), options).bound().stable_dt();
  options.dt_s = std::min(0.7 * most, 0.5 / std::sqrt(mode.square));
  propagator waves(team, cube, medium_of(w.ground), options);
  const double turn = std::acos(1 - mode.square * options.dt_s * options.dt_s / 2);
  const auto steps = std::lround((w.periods + 0.25) * 2 * std::numbers::pi / turn);
  const auto for_own = [&](const field_view& v, const auto& act) {
    for (index_t k = v.own.lower[0]; k < v.own.upper[0]; ++k)
      for (index_t j = v.own.lower[1]; j < v.own.upper[1]; ++j)
        for (index_t i = v.own.lower[2]; i < v.own.upper[2]; ++i) {
          const auto phase = static_cast<double>(w.waves[0] * k + w.waves[1] * j + w.waves[2] * i);
          act(v.data[(k - v.own.lower[0]) * v.strides[0] + (j - v.own.lower[1]) * v.strides[1] + i],
              std::cos(2 * std::numbers::pi * phase / static_cast<double>(points)));
        }
  };
  for (int f = 0; f < waves.fields(); ++f) {
    const double size = mode.fields[static_cast<std::size_t>(f)];
    for_own(waves.now(f), [&](float& value, double wave) { value = static_cast<float>(size * wave); });
    for_own(waves.before(f),
            [&](float& value, double wave) { value = static_cast<float>(size * wave * std::cos(turn)); });
  }
  for (long n = 0; n < steps; ++n) waves.step();
  double product = 0, norm = 0;
  for_own(waves.now(0), [&](float& value, double wave) { product += value * wave, norm += wave * wave; });
  const double wanted = turn * static_cast<double>(steps);
  return (std::cos(wanted) - product / norm) / std::sin(wanted) / wanted;
}

}  // namespace seismic::test
