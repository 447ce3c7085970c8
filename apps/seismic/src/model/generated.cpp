// SPDX-License-Identifier: BSD-3-Clause
// Layers are where a depth less the height of a fold lies between two numbers; their normals come from the fold's
// slopes.
#include <algorithm>
#include <cmath>
#include <model/generated.hpp>
#include <numbers>

namespace seismic {
namespace {

using std::numbers::pi;

/// Height of a fold in shares of the depth, and its slopes, metres per metre.
struct fold_shape {
  double height = 0, along_x = 0, along_y = 0;
};

/// The layers' normal, downwards.
void set_axis(const fold_shape& f, rock& r) {
  r.tilt = std::atan(std::hypot(f.along_x, f.along_y));
  r.azimuth = r.tilt == 0 ? 0 : std::atan2(-f.along_y, -f.along_x);
}

/// A layer's own deviation, between -1 and 1, without an order that the eye sees.
double deviation(int layer_number) {
  constexpr std::array<double, 7> all{0.3, -0.8, 0.6, -0.2, 0.9, -0.6, 0.1};
  return all[static_cast<std::size_t>(((layer_number % 7) + 7) % 7)];
}

fold_shape salt_fold(const shares& s) {
  const double phase = 2 * pi * (0.7 * s.at[x] + 0.3 * s.at[y]);
  fold_shape f;
  f.height = 0.11 * std::sin(phase) + 0.2 * (s.at[x] - 0.5);
  const double depth = s.extent_m[z], bend = 0.11 * 2 * pi * std::cos(phase);
  f.along_x = depth / s.extent_m[x] * (0.7 * bend + 0.2);
  f.along_y = depth / s.extent_m[y] * 0.3 * bend;
  return f;
}

/// A lens on a stem, all radii in shares.
bool is_salt(const shares& s) {
  const double dx = s.at[x] - 0.55, dy = s.at[y] - 0.5, dz = s.at[z] - 0.45;
  const double bump = 1 + 0.12 * std::cos(6 * std::atan2(dy, dx));
  const double lens = dx * dx / 0.0484 + dy * dy / 0.0625 + dz * dz / 0.0144;
  const double stem = dx * dx / 0.0081 + dy * dy / 0.0144;
  return lens < bump || (dz > 0 && stem < 1 + dz);
}

struct sheet {
  double slope = 0, thrown = 0,
         from = 0;  ///< share of the depth per share of x; up by; where its fault meets the surface
};

/// Faults dip towards larger x, at 0.55 of the width for the whole depth.
fold_shape thrust_fold(const shares& s) {
  constexpr std::array<sheet, 4> sheets{{{0.15, 0, 0}, {-0.45, 0.16, 0.1}, {0.5, 0.05, 0.35}, {-0.2, 0.22, 0.62}}};
  const double along = s.at[x] - 0.55 * s.at[z];
  std::size_t n = sheets.size() - 1;
  while (n > 0 && along < sheets[n].from) --n;
  const sheet& own = sheets[n];
  const double warp = 0.04 * std::sin(2 * pi * s.at[y]);
  fold_shape f;
  f.height = -own.thrown + own.slope * (s.at[x] - own.from) + warp;
  f.along_x = s.extent_m[z] / s.extent_m[x] * own.slope;
  f.along_y = s.extent_m[z] / s.extent_m[y] * 0.04 * 2 * pi * std::cos(2 * pi * s.at[y]);
  return f;
}

shares shares_of(const grid& all, const position& p) {
  shares s;
  for (std::size_t d = 0; d < 3; ++d) {
    const bool is_one = all.points[d] == 1;
    s.extent_m[d] =
        is_one ? 1e30 : static_cast<double>(all.points[d] - 1) * all.spacing_m[d];  // no slope along a flat grid's y
    s.at[d] = is_one ? 0.5 : (p[d] - all.origin_m[d]) / s.extent_m[d];
  }
  return s;
}

}  // namespace

rock salt_rock(const shares& where) {
  if (where.at[z] < 0.09) return {.vp = 2000, .least_vs = 600};
  if (is_salt(where)) return {.vp = 4480, .least_vs = 2240};
  const fold_shape fold = salt_fold(where);
  const int number = static_cast<int>(std::floor(14 * (where.at[z] - fold.height)));
  rock r;
  r.vp = std::clamp(2150 + 110.0 * number + 120 * deviation(number), 2000.0, 3900.0);
  r.epsilon = 0.11 + 0.05 * deviation(number + 3);
  r.delta = 0.5 * r.epsilon;
  set_axis(fold, r);
  return r;
}

rock thrust_rock(const shares& where) {
  const fold_shape fold = thrust_fold(where);
  const int number = static_cast<int>(std::floor(16 * (where.at[z] - fold.height)));
  rock r;
  r.vp = std::clamp(2700 + 130.0 * number + 350 * deviation(number), 2300.0, 5200.0);
  r.epsilon = 0.13 + 0.08 * deviation(number + 2);
  r.delta = 0.4 * r.epsilon;
  set_axis(fold, r);
  return r;
}

std::array<shared_property, 6> generated_properties(const grid& all, rock (*formula)(const shares&),
                                                    const std::string& name, double sigma) {
  const auto of = [&](double rock::*member) {
    return formula_property(
        all, [=](const position& p) { return formula(shares_of(all, p)).*member; }, name);
  };
  const shared_property vp = of(&rock::vp), epsilon = of(&rock::epsilon), delta = of(&rock::delta);
  const shared_property vs = formula_property(
      all,
      [=](const position& p) {
        const rock r = formula(shares_of(all, p));
        return std::max(r.least_vs, r.vp * std::sqrt(std::abs(r.epsilon - r.delta) / sigma));
      },
      name);
  return {vp, vs, epsilon, delta, of(&rock::tilt), of(&rock::azimuth)};
}

std::array<shared_property, 6> fletcher_properties(medium_kind kind, double sigma) {
  const bool is_iso = kind == medium_kind::iso, is_tilted = kind == medium_kind::tti;
  const shared_property vp = constant_property(3000), epsilon = constant_property(is_iso ? 0 : 0.24),
                        delta = constant_property(is_iso ? 0 : 0.1);
  return {vp,
          vs_of_sigma(vp, epsilon, delta, sigma),
          epsilon,
          delta,
          constant_property(is_tilted ? std::atan(1.0) : 0),
          constant_property(is_tilted ? 1 : 0)};
}

}  // namespace seismic
