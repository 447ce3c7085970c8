// SPDX-License-Identifier: BSD-3-Clause
// Point sources in homogeneous media against the exact field.
#include <cmath>
#include <mpi_test.hpp>
#include <nearfar/team.hpp>
#include <solver/propagator.hpp>

#include "kspace.hpp"
#include "materials.hpp"

namespace seismic::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1}, .node_sizes = {0}, .on_cluster = false}};

/// The original's wavelet: a Ricker with a peak at a third of `cut`, Hz.
double wavelet_of(double cut, double t) {
  const double fc = cut / (3 * std::sqrt(std::numbers::pi)), tau = t - 2 * std::sqrt(std::numbers::pi) / cut;
  const double a = std::pow(std::numbers::pi, 3) * fc * fc * tau * tau;
  return (1 - 2 * a) * std::exp(-a);
}

class exact_waves : public nearfar::test::MpiTest {
 protected:
  double cut_hz = 40, end_s = 0.15;  ///< the original's, and a time at which the wave has gone some lengths
  grid points{{40, 40, 40}, {12.5, 12.5, 12.5}, {}};

  /// Relative L2 distance of p from `wanted`, at points more than four cells away from the source along some axis.
  double error_of(system_kind system, const material& m, double dt_s, const std::vector<double>& wanted,
                  int order = 8) {
    const nearfar::team team(comm());
    propagator waves(team, points, medium_of(m),
                     {.system = system, .order = order, .dt_s = dt_s, .sides = side_kind::periodic, .threads = 1});
    const auto steps = static_cast<index>(std::lround(end_s / dt_s));
    for (index n = 0; n < steps; ++n) {
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
    for (index k = 0; k < points.points[0]; ++k)
      for (index j = 0; j < points.points[1]; ++j)
        for (index i = 0; i < points.points[2]; ++i, ++at) {
          const auto far = [](index n, index size) { return std::abs(n - size / 2) > 4; };
          if (!far(k, points.points[0]) && !far(j, points.points[1]) && !far(i, points.points[2])) continue;
          const double is = v.data[k * v.strides[0] + j * v.strides[1] + i], should = 1e6 * wanted[at];
          off += (is - should) * (is - should), all += should * should;
        }
    return std::sqrt(off / all);
  }

  void expect_second_order(system_kind system, const material& m, const symbol& exact) {
    const auto wavelet = [this](double t) { return wavelet_of(cut_hz, t); };
    const auto wanted = exact_fields(points, m, exact, wavelet, end_s, system == system_kind::self_adjoint ? 0 : 1)[0];
    const double at_1_ms = error_of(system, m, 0.001, wanted), at_half = error_of(system, m, 0.0005, wanted);
    EXPECT_LT(at_1_ms, 5e-3);
    EXPECT_NEAR(at_1_ms / at_half, 4, 0.4) << at_1_ms << " and " << at_half;
  }
};

TEST_F(exact_waves, isotropic) {
  const material m;
  expect_second_order(system_kind::isotropic, m, isotropic_symbol(m));
}

TEST_F(exact_waves, fletcher_vti) {
  const material m = fletcher(0, 0);
  expect_second_order(system_kind::fletcher_vti, m, fletcher_symbol(m));
}

TEST_F(exact_waves, fletcher_tti) {
  for (const auto& [tilt, azimuth] : {std::pair{std::numbers::pi / 4, 1.0}, {1.2, -2.0}}) {
    const material m = fletcher(tilt, azimuth);
    expect_second_order(system_kind::fletcher_tti, m, fletcher_symbol(m));
  }
}

// A source in p alone sends slow shear waves too, which the original's wavelet has 2.6 points for: it is slower here.
TEST_F(exact_waves, self_adjoint) {
  cut_hz = 26, end_s = 0.26;  // the source has ended: its near field is full of the shortest waves
  for (const auto& [tilt, azimuth] : {std::pair{0.0, 0.0}, {std::numbers::pi / 4, 1.0}, {1.2, -2.0}}) {
    const material m = fletcher(tilt, azimuth);
    expect_second_order(system_kind::self_adjoint, m, self_adjoint_symbol(m));
  }
}

TEST_F(exact_waves, of_two_dimensions) {
  points.points[1] = 1;
  const material m = fletcher(std::numbers::pi / 4, 0);
  expect_second_order(system_kind::isotropic, material{}, isotropic_symbol(material{}));
  expect_second_order(system_kind::fletcher_vti, fletcher(0, 0), fletcher_symbol(fletcher(0, 0)));
  expect_second_order(system_kind::fletcher_tti, m, fletcher_symbol(m));
  cut_hz = 26, end_s = 0.26;
  expect_second_order(system_kind::self_adjoint, m, self_adjoint_symbol(m));
}

}  // namespace
}  // namespace seismic::test
