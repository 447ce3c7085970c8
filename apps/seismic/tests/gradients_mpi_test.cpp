// SPDX-License-Identifier: BSD-3-Clause
// Gradients and velocities at receivers: against point sources as formulas, by reciprocity, and the same bits for any
// ranks and after a restart.
#include <cmath>
#include <files/rsf.hpp>
#include <numbers>

#include "checkpoint_runs.hpp"
#include "dot_products.hpp"
#include "materials.hpp"

namespace seismic::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 4}, .node_sizes = {0}, .on_cluster = false}};

constexpr double peak_hz = 15, delay_s = 0.1, vp = 2000, density = 1500;

/// Ricker's wavelet, its derivative and its integral.
struct ricker_values {
  double value, slope, integral;
};
ricker_values ricker_at(double t) {
  const double c = std::pow(std::numbers::pi * peak_hz, 2), tau = t - delay_s, a = c * tau * tau;
  return {(1 - 2 * a) * std::exp(-a), 2 * c * tau * (2 * a - 3) * std::exp(-a), tau * std::exp(-a)};
}

/// Of a point source at a distance, by quantity: p = s(t - r / vp) / (4 pi r stretch), where r^2 is the sum of
/// across^2 / stretch and along^2: along the axis of elliptic ground waves have the velocity vp, across it vp
/// sqrt(stretch).
std::array<double, 7> exact_values(const std::array<double, 3>& from_source, double t,
                                   const std::array<double, 3>& axis, double stretch) {
  double along = 0, square = 0;
  for (std::size_t d = 0; d < 3; ++d) along += from_source[d] * axis[d], square += from_source[d] * from_source[d];
  const double r = std::sqrt((square - along * along) / stretch + along * along);
  const ricker_values s = ricker_at(t - r / vp);
  const double size = 1 / (4 * std::numbers::pi * stretch);
  std::array<double, 7> all{size * s.value / r};
  for (std::size_t d = 0; d < 3; ++d) {
    const double slope = ((from_source[d] - along * axis[d]) / stretch + along * axis[d]) / r;  // of r
    const std::size_t at = 3 - d;  // dp/dx is behind the pressure
    all[at] = -size * slope * (s.slope / (vp * r) + s.value / (r * r));
    all[at + 3] = size * slope * (s.value / (vp * r) + s.integral / (r * r)) / density;
  }
  return all;
}

constexpr const char* point_source = R"(
[grid]
points = [52, 50, 56]
spacing = [10, 10, 10]
[sides]
cells = 8
[time]
end = 0.24
[[sources]]
position = [251.3, 243.7, 270.0]
[[receivers]]
at = [[362.6, 281.1, 331.9], [120, 300, 200], [251.3, 160.2, 310]]
quantities = ["pressure", "dp/dx", "dp/dy", "dp/dz", "vx", "vy", "vz"]
density = 1500
[gathers]
format = "rsf"
[run]
device = "cpu"
threads = 1
)";

const std::vector<position> receivers{{331.9, 281.1, 362.6}, {200, 300, 120}, {310, 160.2, 251.3}};
const position source{270, 243.7, 251.3};

class gradients : public checkpoints {
 protected:
  static std::vector<float> values_of(const std::string& path) {
    const array_file file(rsf_layout(path));
    const std::vector<index_t>& n = file.extents();
    std::vector<float> values(static_cast<std::size_t>(n[0] * n[1]));
    file.read(std::array<index_t, 2>{0, 0}, n, values);
    return values;
  }

  /// Largest L2 distance over receivers of each quantity's traces from `exact`, which is of receiver, time and
  /// quantity, over the size of what is exact: of the pressure, or of all three components of gradient or velocity. One
  /// rank.
  template <class Exact>
  std::array<double, 7> errors(std::vector<std::string> keys, const Exact& exact, double interval_s) const {
    keys.push_back("gathers.file='" + in_folder("shot.rsf") + '\'');
    keys.push_back("gathers.interval=" + std::to_string(interval_s));
    run_shot(nearfar::team(comm()), settings_in(point_source, "test", keys), {}, streams());
    std::array<std::vector<float>, 7> all;
    for (std::size_t q = 0; q < 7; ++q)
      all[q] = values_of(in_folder("shot" + std::string(quantities[q].ending) + ".rsf"));
    const std::size_t samples = all[0].size() / receivers.size();
    std::array<double, 7> worst{};
    for (std::size_t r = 0; r < receivers.size(); ++r) {
      std::array<double, 7> off{};
      std::array<double, 3> size{};  // of pressure, gradient, velocity
      for (std::size_t q = 0; q < 7; ++q)
        for (std::size_t n = 0; n < samples; ++n) {
          const double should = exact(r, static_cast<double>(n) * interval_s, q);
          off[q] += std::pow(all[q][r * samples + n] - should, 2), size[(q + 2) / 3] += should * should;
        }
      for (std::size_t q = 0; q < 7; ++q)
        if (size[(q + 2) / 3] > 0) worst[q] = std::max(worst[q], std::sqrt(off[q] / size[(q + 2) / 3]));
    }
    return worst;
  }
  static std::array<double, 3> distance(const position& a, const position& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  }
  static void expect_below(double most, const std::array<double, 7>& errors) {
    for (std::size_t q = 0; q < 7; ++q) EXPECT_LT(errors[q], most) << quantities[q].name;
  }
};

/// Between grid points and on them along some dimensions; the second interval is one that must be recorded more finely.
TEST_F(gradients, of_a_point_source_are_the_exact_ones) {
  if (size() > 1) return;
  const auto exact = [&](std::size_t r, double t, std::size_t q) {
    return exact_values(distance(receivers[r], source), t, {1, 0, 0}, 1)[q];
  };
  for (const double interval_s : {0.002, 0.01}) expect_below(1e-3, errors({"time.end=0.24"}, exact, interval_s));
}

TEST_F(gradients, beneath_a_free_surface_have_the_image_of_the_source) {
  if (size() > 1) return;
  const std::vector<std::string> keys{"sides.free-surface=true", "sources.position=[251.3, 243.7, 33.0]",
                                      "receivers.at=[[362.6, 281.1, 0], [120, 300, 14.2], [251.3, 160.2, 25]]"};
  const std::vector<position> there{{0, 281.1, 362.6}, {14.2, 300, 120}, {25, 160.2, 251.3}};
  const position deep{33, 243.7, 251.3}, image{-33, 243.7, 251.3};
  const auto exact = [&](std::size_t r, double t, std::size_t q) {
    return exact_values(distance(there[r], deep), t, {1, 0, 0}, 1)[q] -
           exact_values(distance(there[r], image), t, {1, 0, 0}, 1)[q];
  };
  expect_below(4e-3, errors(keys, exact, 0.002));
}

/// Elliptic ground with a tilted axis has a formula, too; in it p is the same in both systems.
TEST_F(gradients, in_tilted_elliptic_ground_are_the_exact_ones) {
  if (size() > 1) return;
  const double tilt = 35 * std::numbers::pi / 180, azimuth = 20 * std::numbers::pi / 180;
  const std::array<double, 3> axis{std::cos(tilt), std::sin(tilt) * std::sin(azimuth),
                                   std::sin(tilt) * std::cos(azimuth)};
  const auto exact = [&](std::size_t r, double t, std::size_t q) {
    return exact_values(distance(receivers[r], source), t, axis, 1.3)[q];
  };
  const std::vector<std::string> ground{"medium.kind=tti", "model.epsilon=0.15", "model.delta=0.15", "model.vs=500",
                                        "model.tilt=35",   "model.azimuth=20",   "sides.kind=rigid", "time.end=0.2"};
  for (const char* const system : {"fletcher", "self-adjoint"}) {
    std::vector<std::string> keys = ground;
    keys.push_back(std::string("medium.system=") + system);
    expect_below(1e-3, errors(keys, exact, 0.0018));
  }
}

/// What a derivative at B records of a source at A is what A records of the same derivative as a source at B, whatever
/// lies between them.
TEST_F(gradients, are_reciprocal) {
  if (size() > 1) return;
  const grid points{{26, 31, 23}, {10, 12, 11}, {}};
  const propagator_options options{
      .system = system_kind::isotropic, .dt_s = 0.0008, .sides = side_kind::rigid, .threads = 1, .ghosts = 6};
  const position a{81.5, 170.2, 138.3}, b{170, 143.1, 95.2};
  const auto monopole = weights_of(a, points, points.whole(), {}, "a");
  const nearfar::team team(comm());
  const auto trace = [&](const point_weights& from, const point_weights& to) {
    propagator waves(team, points, sharp_blocks(), options);
    acquisition what;
    std::vector<double> pulse{1, 2, 1, -1, -3, 1};
    what.sources.push_back({from, std::make_shared<series>(pulse, options.dt_s), 1e6, true});
    what.receivers = {to};
    shot s(waves, std::move(what));
    for (int n = 0; n < 120; ++n) s.step();
    return s.traces(team);
  };
  for (const dimension d : {z, y, x}) {
    const auto dipole = slope_weights_of(b, points, points.whole(), {}, d, "b");
    const std::vector<float> there = trace(monopole, dipole), back = trace(dipole, monopole);
    double most = 0, off = 0;
    for (std::size_t n = 0; n < there.size(); ++n)
      most = std::max(most, std::abs(static_cast<double>(there[n]))),
      off = std::max(off, std::abs(static_cast<double>(there[n]) - static_cast<double>(back[n])));
    EXPECT_GT(most, 0);
    EXPECT_LE(off, 1e-5 * most) << "zyx"[d];
  }
}

TEST_F(gradients, have_the_same_bits_on_any_ranks_and_after_a_restart) {
  const std::vector<std::string> keys{"receivers.density=1900", "receivers.quantities=['dp/dz', 'vx', 'vz']"};
  std::vector<std::string> half = keys;
  half.emplace_back("time.end=0.006");
  EXPECT_EQ(run(1, "one", keys), "");
  EXPECT_EQ(run(size(), "two", half), "");
  EXPECT_EQ(run(size(), "two", keys, "two.state"), "");
  if (rank() == 0) {
    EXPECT_FALSE(fs::exists(in_folder("one.gather")));
    for (const char* const ending : {"_dpdz", "_vx", "_vz"}) {
      const std::string one = bytes_of(in_folder("one" + std::string(ending) + ".gather"));
      EXPECT_GT(one.size(), 3600U);
      EXPECT_TRUE(one == bytes_of(in_folder("two" + std::string(ending) + ".gather"))) << ending;
    }
  }
  EXPECT_THAT(run(size(), "two", {}, "two.state"),
              ::testing::HasSubstr("[[receivers]] (quantities) = dp/dz of 8, vx of 8, vz of 8, and the"));
}

}  // namespace
}  // namespace seismic::test
