// SPDX-License-Identifier: BSD-3-Clause
// Energy of the self-adjoint system, over many steps without absorption.
#pragma once

#include <cmath>
#include <nearfar/team.hpp>
#include <random>
#include <solver/propagator.hpp>
#include <vector>

#include "materials.hpp"

namespace seismic::test {

/// A pulse in a medium with rigid sides, at a time step near the largest. One rank.
class energy_run {
 public:
  energy_run(const nearfar::team& team, const grid& points, const medium& m, int order = 8)
      : points_(points), vp_(static_cast<std::size_t>(points.size())), waves_(make(team, points, m, order)) {
    m.of(property_kind::vp)->read(points.whole(), vp_);
    for (index_t n = 0; n < 40; ++n) {
      const field_view p = waves_.now(0);
      p.data[points.points[0] / 2 * p.strides[0] + points.points[1] / 2 * p.strides[1] + points.points[2] / 2] +=
          static_cast<float>(std::exp(-0.02 * static_cast<double>((n - 20) * (n - 20))));
      waves_.step();
    }
  }
  void go_on(index_t steps) {
    for (index_t n = 0; n < steps; ++n) waves_.step();
  }
  index_t steps() const { return waves_.steps(); }

  /// After two steps more: between two times, of fields u at three times n - 1, n, n + 1: of motion and of position,
  /// (u(n + 1), -K u(n)) / 2.
  double energy() {
    std::array<std::vector<double>, 3> u;
    u[0] = fields(), waves_.step(), u[1] = fields(), waves_.step(), u[2] = fields();
    double sum = 0;
    for (std::size_t n = 0; n < u[0].size(); ++n) {
      const double before = u[0][n], now = u[1][n], next = u[2][n], vp = static_cast<double>(vp_[n % vp_.size()]);
      const double scale = 1 / (2.0 * vp * vp * waves_.dt_s() * waves_.dt_s());
      sum += scale * ((next - now) * (next - now) - next * (next - 2 * now + before));
    }
    return sum;
  }

 private:
  static propagator make(const nearfar::team& team, const grid& points, const medium& m, int order) {
    propagator_options options{.system = system_kind::self_adjoint, .order = order, .dt_s = 1e-6, .threads = 1};
    options.dt_s = 0.97 * propagator(team, points, m, options).bound().stable_dt();
    return {team, points, m, options};
  }
  std::vector<double> fields() {
    std::vector<double> all;
    for (int f = 0; f < 2; ++f) {
      const field_view v = waves_.now(f);
      for (index_t k = 0; k < points_.points[0]; ++k)
        for (index_t j = 0; j < points_.points[1]; ++j) {
          const float* row = v.data + k * v.strides[0] + j * v.strides[1];
          all.insert(all.end(), row, row + points_.points[2]);
        }
    }
    return all;
  }

  grid points_;
  std::vector<float> vp_;
  propagator waves_;
};

/// Blocks of random sizes and media, which differ from each other as much as the self-adjoint system is taken for.
inline medium random_blocks(unsigned seed) {
  std::mt19937 random(seed);
  const auto draw = [&](double least, double most) {
    return least + (most - least) * static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
  };
  std::vector<material> kinds;
  for (int n = 0; n < 7; ++n) {
    material m{draw(1500, 4500), 0, draw(0, 0.35), 0, draw(-1.6, 1.6), draw(-3.1, 3.1)};
    m.vs = m.vp * draw(0.42, 0.6), m.delta = draw(-0.1, m.epsilon);
    kinds.push_back(m);
  }
  const std::array<index_t, 3> size{1 + static_cast<index_t>(draw(1, 6)), 1 + static_cast<index_t>(draw(1, 6)),
                                    1 + static_cast<index_t>(draw(1, 6))};
  const std::array<double material::*, 6> members{&material::vp,    &material::vs,   &material::epsilon,
                                                  &material::delta, &material::tilt, &material::azimuth};
  medium of;
  for (std::size_t p = 0; p < members.size(); ++p)
    of.properties[p] = std::make_shared<formula>([kinds, size, member = members[p]](index_t k, index_t j, index_t i) {
      return kinds[static_cast<std::size_t>((k / size[0] * 3 + j / size[1] * 5 + i / size[2] * 2) % 7)].*member;
    });
  return of;
}

}  // namespace seismic::test
