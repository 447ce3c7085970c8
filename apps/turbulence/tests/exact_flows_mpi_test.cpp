// SPDX-License-Identifier: BSD-3-Clause
// Flows that decay as a formula says, and what does not change without viscosity.
#include <numbers>

#include "flows.hpp"

namespace turbulence::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2}, .node_sizes = {0}, .on_cluster = false}};

/// A flow with the same begin whose modes are multiplied by a number.
void expect_decayed(flow& of, const initial_options& begun, double factor, double scalar_factor = 1) {
  flow exact(of.on(), of.options());
  begin(exact, begun, true);
  const auto fields = exact.state().all();
  for (std::size_t f = 0; f < fields.size(); ++f)
    of.on().for_modes([&](const mode& m) { fields[f][m.at] *= f < 3 ? factor : scalar_factor; });
  EXPECT_LT(distance(of, exact), 1e-14);
  EXPECT_GT(numbers_of(of).energy, 1e-3);
}

TEST_F(flows, of_beltrami_decay_exponentially) {
  for (const dealiasing_rule rule : {dealiasing_rule::two_thirds, dealiasing_rule::three_halves})
    for (const time_scheme scheme : {time_scheme::rk3, time_scheme::rk4}) {
      const space on(team(), cube(12, rule));
      flow abc(on, {.viscosity = 0.1, .scheme = scheme});
      const initial_options initial{.kind = initial_kind::abc};
      begin(abc, initial);
      EXPECT_NEAR(numbers_of(abc).helicity, 3, 1e-13);
      advance(abc, 5, 0.1);
      expect_decayed(abc, initial, std::exp(-0.1 * 0.5));
    }
}

TEST_F(flows, in_two_dimensions_decay_exponentially_on_any_box) {
  for (const index_t nz : {1, 4}) {
    const space on(team(), {{nz, 16, 12}, {1, 2, 1.5}, dealiasing_rule::two_thirds});
    flow vortices(on, {.viscosity = 0.05});
    const initial_options initial{.kind = initial_kind::taylor_green_2d};
    begin(vortices, initial);
    // Projected onto what is free of divergence the vortices of a box with other lengths are still steady without
    // viscosity: vorticity is a function of the stream function.
    advance(vortices, 4, 0.05);
    expect_decayed(vortices, initial, std::exp(-0.05 * 0.2 * (1 / 4.0 + 1 / 2.25)));
  }
}

TEST_F(flows, at_rest_let_scalars_diffuse) {
  const space on(team(), cube(8));
  flow still(on, {.has_scalar = true, .diffusivity = 0.3});
  begin(still, {.kind = initial_kind::rest}, true);
  EXPECT_NEAR(numbers_of(still).scalar_variance, 0.5, 1e-15);
  advance(still, 4, 0.1);
  EXPECT_NEAR(numbers_of(still).scalar_variance, 0.5 * std::exp(-2 * 0.3 * 0.4), 1e-15);
  EXPECT_EQ(numbers_of(still).energy, 0);
}

TEST_F(flows, keep_energy_helicity_and_variance_without_viscosity_and_divergence_at_rounding) {
  for (const dealiasing_rule rule : {dealiasing_rule::two_thirds, dealiasing_rule::three_halves}) {
    const space on(team(), cube(16, rule));
    flow euler(on, {.has_scalar = true});
    begin(euler, {.kind = initial_kind::isotropic, .peak = 2}, true);
    const flow_numbers before = numbers_of(euler);
    EXPECT_NEAR(before.energy, 0.5, 1e-14);
    EXPECT_GT(std::abs(before.helicity), 1e-2);
    advance(euler, 8, 0.01);
    const flow_numbers after = numbers_of(euler);
    EXPECT_NEAR(after.energy, before.energy, 2e-8);
    EXPECT_NEAR(after.helicity, before.helicity, 2e-6);
    EXPECT_NEAR(after.scalar_variance, before.scalar_variance, 2e-7);
    EXPECT_GT(std::abs(after.enstrophy - before.enstrophy), 1e-4);  // something has happened
    EXPECT_LT(after.divergence, 1e-15);
    EXPECT_GT(after.divergence, 0);
  }
}

using vector3 = std::array<double, 3>;

/// a cos(k.x + phase) + b sin(k.x + phase) at all points.
void set_wave(flow& of, const vector3& k, double phase, const vector3& a, const vector3& b) {
  of.on().for_points([&](index_t i, double x, double y, double z) {
    const double angle = k[0] * x + k[1] * y + k[2] * z + phase;
    for (std::size_t d = 0; d < 3; ++d) of.points_a().data(d)[i] = a[d] * std::cos(angle) + b[d] * std::sin(angle);
  });
  of.take_velocity(of.points_a());
}

/// In a rotating frame a circular wave, whose curl is k u, turns with 2 W.k/|k|, however strong it is: curl of the
/// equation is k du/dt = 2 (W.grad) u.
/// @source H. P. Greenspan, The Theory of Rotating Fluids, 1968, section 4.1
TEST_F(flows, of_inertial_waves_have_their_dispersion_relation) {
  const vector3 k{1, 2, 2}, a{0, std::sqrt(0.5), -std::sqrt(0.5)};
  const vector3 b{(k[1] * a[2] - k[2] * a[1]) / -3, (k[2] * a[0] - k[0] * a[2]) / -3, (k[0] * a[1] - k[1] * a[0]) / -3};
  for (const vector3& rotation : {vector3{0, 0, 2}, vector3{1, -0.5, 0}, vector3{3, 1, -1}}) {
    const space on(team(), cube(12));
    flow turning(on, {.rotation = rotation}), exact(on, {.rotation = rotation});
    EXPECT_NEAR(turning.options().wave_frequency(), 2 * std::hypot(rotation[0], rotation[1], rotation[2]), 1e-14);
    set_wave(turning, k, 0, a, b);
    EXPECT_NEAR(numbers_of(turning).helicity, 3 * 2 * numbers_of(turning).energy, 1e-12) << "its curl is k u";
    advance(turning, 100, 0.01);
    const double frequency = 2 * (rotation[0] * k[0] + rotation[1] * k[1] + rotation[2] * k[2]) / 3;
    set_wave(exact, k, frequency * 1.0, a, b);
    EXPECT_LT(distance(turning, exact), 1e-7);
  }
}

/// In a stratified fluid at rest a plane wave has the frequency N k_horizontal / |k|, however strong it is: the
/// velocity is along its crests.
/// @source G. K. Vallis, Atmospheric and Oceanic Fluid Dynamics, 2017, section 7.3
TEST_F(flows, of_internal_waves_have_their_dispersion_relation) {
  constexpr double buoyancy = 3, gradient = 0.75, n = 1.5;
  const space on(team(), cube(12));
  const flow_options options{.has_scalar = true, .scalar_gradient = gradient, .buoyancy = buoyancy};
  for (const vector3& k : {vector3{1, 0, 0}, vector3{2, 1, 0}, vector3{1, -2, 2}}) {
    const double square = k[0] * k[0] + k[1] * k[1] + k[2] * k[2], horizontal = std::hypot(k[0], k[2]);
    const double frequency = n * horizontal / std::sqrt(square), time = 1;
    // Up, without what is along k.
    const vector3 up{-k[1] * k[0] / square, 1 - k[1] * k[1] / square, -k[1] * k[2] / square}, none{};
    flow waves(on, options);
    EXPECT_NEAR(waves.options().wave_frequency(), n, 1e-15);
    set_wave(waves, k, 0, up, none);
    advance(waves, 100, time / 100);
    flow exact(on, options);
    const real_fields& c = exact.point_scalar();
    on.for_points([&](index_t i, double x, double y, double z) {
      c.data()[i] =
          -gradient / frequency * up[1] * std::sin(frequency * time) * std::cos(k[0] * x + k[1] * y + k[2] * z);
    });
    exact.take_scalar(c);
    const double now = std::cos(frequency * time);
    set_wave(exact, k, 0, {up[0] * now, up[1] * now, up[2] * now}, none);
    EXPECT_LT(distance(waves, exact), 1e-8);
  }
}

TEST_F(flows, have_spectra_that_add_up) {
  const space on(team(), cube(16));
  flow of(on, {.viscosity = 0.01, .has_scalar = true, .diffusivity = 0.01});
  begin(of, {.kind = initial_kind::isotropic, .peak = 2}, true);
  advance(of, 2, 0.02);
  const shell_spectra s = spectra_of(of);
  const flow_numbers n = numbers_of(of);
  const auto sum = [](const std::vector<double>& v) {
    double all = 0;
    for (const double x : v) all += x;
    return all;
  };
  EXPECT_NEAR(sum(s.energy), n.energy, 1e-14);
  EXPECT_NEAR(sum(s.dissipation), n.dissipation, 1e-14);
  EXPECT_NEAR(sum(s.scalar), n.scalar_variance, 1e-14);
  EXPECT_NEAR(sum(s.transfer), 0, 1e-14);
  EXPECT_GT(*std::max_element(s.transfer.begin(), s.transfer.end()), 1e-3);
}

TEST_F(flows, are_fed_by_forcing_and_gradients) {
  const space on(team(), cube(16));
  flow fed(on, {.forcing_power = 0.3, .has_scalar = true, .scalar_gradient = 2});
  begin(fed, {.kind = initial_kind::isotropic, .peak = 2});
  const double before = numbers_of(fed).energy;
  advance(fed, 4, 0.01);
  const flow_numbers after = numbers_of(fed);
  EXPECT_NEAR(after.energy - before, 0.3 * 0.04, 1e-7);
  EXPECT_NEAR(after.squares[0] + after.squares[1] + after.squares[2], 2 * after.energy, 1e-14);
  EXPECT_GT(after.scalar_variance, 1e-4);
}

TEST_F(flows, are_forced_without_forcing_divergence) {
  const space on(team(), cube(8));
  flow fed(on, {.forcing_power = 40});
  begin(fed, {.kind = initial_kind::abc});
  // A gradient, as rounding leaves one, only larger: of the modes that are forced.
  on.for_modes([&](const mode& m) {
    if (m.k2() == 1)
      for (std::size_t d = 0; d < 3; ++d) fed.state().velocity.data(d)[m.at] += complex{0, 1e-9 * m.k[d]};
  });
  advance(fed, 10, 0.02);
  EXPECT_GT(numbers_of(fed).energy, 9);  // three times more velocity than at the begin
  double most = 0;
  on.for_modes([&](const mode& m) {
    complex divergence = 0;
    for (std::size_t d = 0; d < 3; ++d) divergence += m.k[d] * fed.state().velocity.data(d)[m.at];
    most = std::max(most, std::abs(divergence));
  });
  EXPECT_LT(most, 1.5e-9);
}

TEST_F(flows, of_one_wave_number_have_its_integral_length) {
  const space on(team(), cube(12));
  flow abc(on, {});
  begin(abc, {.kind = initial_kind::abc});
  EXPECT_NEAR(numbers_of(abc).integral_length, 0.75 * std::numbers::pi, 1e-14);
  for (const double square : numbers_of(abc).squares) EXPECT_NEAR(square, 1, 1e-14);
}

}  // namespace
}  // namespace turbulence::test
