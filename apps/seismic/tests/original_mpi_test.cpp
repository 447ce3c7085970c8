// SPDX-License-Identifier: BSD-3-Clause
// The original's standard runs, number by number.
#include <cmath>
#include <mpi_test.hpp>
#include <nearfar/team.hpp>
#include <solver/propagator.hpp>

#include "materials.hpp"
#include "original_values.hpp"

namespace seismic::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1}, .node_sizes = {0}, .on_cluster = false}};

/// The original's source in single precision, at step n.
float source(int n) {
  const auto root_pi = std::sqrt(std::numbers::pi_v<float>);
  const float late = 2 * root_pi / 40, fc = 40 / (3 * root_pi), t = fc * (static_cast<float>(n) * 0.001f - late);
  const float a = std::pow(std::numbers::pi_v<float>, 3.0f) * t * t;
  return (1 - 2 * a) * std::exp(-a);
}

class original : public nearfar::test::MpiTest {
 protected:
  /// Steps up to `last`, the source put into all fields before each, as it is.
  static void go_on(propagator& waves, int last) {
    for (auto n = static_cast<int>(waves.steps()); n < last; ++n) {
      for (int f = 0; f < waves.fields(); ++f) {
        const field_view v = waves.now(f);
        v.data[20 * v.strides[0] + 18 * v.strides[1] + 16] += source(n);
      }
      waves.step();
    }
  }
};

TEST_F(original, standard_runs_come_out_the_same) {
  const grid points{{40, 36, 32}, {12.5, 12.5, 12.5}, {}};
  const std::array<system_kind, 3> systems{system_kind::isotropic, system_kind::fletcher_vti,
                                           system_kind::fletcher_tti};
  const std::array<material, 3> materials{material{}, fletcher(0, 0), fletcher(std::atan(1.0), 1)};
  for (std::size_t r = 0; r < original_runs.size(); ++r) {
    const original_run& run = original_runs[r];
    propagator waves(nearfar::team(comm()), points, medium_of(materials[r]),
                     {.system = systems[r], .dt_s = 0.001, .threads = 1});
    const auto expect_values = [&](double original_value::*of, double largest, double tolerance) {
      const field_view p = waves.now(0);
      for (const original_value& v : run.values)
        EXPECT_NEAR(p.data[v.z * p.strides[0] + v.y * p.strides[1] + v.x] / largest, v.*of / largest, tolerance)
            << run.name << " at " << v.z << " " << v.y << " " << v.x << " after " << waves.steps();
    };
    go_on(waves, 20);
    expect_values(&original_value::after_20, run.largest_20, 1e-5);
    go_on(waves, 100);
    expect_values(&original_value::after_100, run.largest_100, 1e-4);
  }
}

}  // namespace
}  // namespace seismic::test
