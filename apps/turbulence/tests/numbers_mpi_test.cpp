// SPDX-License-Identifier: BSD-3-Clause
// What is said about flows: statistics of fields that are worked out by hand, wave numbers of boxes, what feeds and
// carries a scalar, the fastest point, and snapshots.
#include <unistd.h>

#include <app/snapshots.hpp>
#include <filesystem>
#include <fstream>
#include <nearfar/error.hpp>
#include <nearfar/output_reader.hpp>
#include <numbers>

#include "flows.hpp"

namespace turbulence::test {
namespace {

using std::numbers::pi;

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2}, .node_sizes = {0}, .on_cluster = false}};

/// The velocity at (x, y, z) in a box of these lengths.
template <class At>
void set_velocity(flow& of, const At& at) {
  const real_fields& u = of.points_a();
  of.on().for_points([&](index_t i, double x, double y, double z) {
    const std::array<double, 3> here = at(x, y, z);
    for (std::size_t d = 0; d < 3; ++d) u.data(d)[i] = here[d];
  });
  of.take_velocity(u);
}

// With f' = cos x + b cos 2x, <f'^2> = (1 + b^2) / 2 and <f'^3> = 3 b / 4; the slopes are D, D and -2 D with
// D = f'(x) f'(y) f'(z).
TEST_F(flows, have_the_skewness_of_their_slopes) {
  constexpr double b = 0.5;
  const auto f = [](double x) { return std::sin(x) + b / 2 * std::sin(2 * x); };
  const auto slope = [](double x) { return std::cos(x) + b * std::cos(2 * x); };
  const space on(team(), cube(16));
  flow of(on, {.viscosity = 0.1});
  set_velocity(of, [&](double x, double y, double z) {
    return std::array{f(x) * slope(y) * slope(z), slope(x) * f(y) * slope(z), -2 * slope(x) * slope(y) * f(z)};
  });
  const double skewness = std::pow(3 * b / 4, 3) / std::pow((1 + b * b) / 2, 4.5);
  EXPECT_NEAR(numbers_of(of).skewness, (skewness + skewness - skewness) / 3, 1e-13);
}

// Of one wave number k = 1 with <u^2> = 1 along each axis: dissipation 3 nu, Taylor's length sqrt(5), Kolmogorov's
// (nu^2 / 3)^(1/4).
TEST_F(flows, of_one_wave_number_have_its_reynolds_number_and_resolution) {
  const space on(team(), cube(12));
  flow abc(on, {.viscosity = 0.1});
  begin(abc, {.kind = initial_kind::abc});
  EXPECT_NEAR(numbers_of(abc).taylor_reynolds, std::sqrt(5.0) / 0.1, 1e-12);
  EXPECT_NEAR(numbers_of(abc).resolution, 3 * std::pow(0.01 / 3, 0.25), 1e-12);
}

// Without aliases in products: 3 K < points of the transform for the highest mode K, and as many modes as that allows.
TEST_F(flows, keep_the_modes_that_their_rule_allows) {
  for (index_t n = 4; n <= 16; ++n) {
    const space two_thirds(team(), cube(n)), three_halves(team(), cube(n, dealiasing_rule::three_halves)),
        aliased(team(), cube(n, dealiasing_rule::none));
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_EQ(two_thirds.highest()[d], (n + 2) / 3 - 1) << n;
      EXPECT_EQ(three_halves.highest()[d], (n + 1) / 2 - 1) << n;
      EXPECT_EQ(aliased.highest()[d], (n + 1) / 2 - 1) << n;
      EXPECT_GT(three_halves.points()[d], 3 * three_halves.highest()[d]) << n;
    }
  }
}

TEST_F(flows, have_shells_as_wide_as_the_longest_wave) {
  EXPECT_EQ(space(team(), {{8, 8, 8}, {1, 4, 2}}).shell_width(), 0.25);
}

// Grows by P in the time, however few modes are forced: here those with |k| = 1, the highest that are.
TEST_F(flows, are_forced_up_to_the_highest_wave_number) {
  const space on(team(), cube(12));
  flow abc(on, {.forcing_power = 0.3, .forcing_highest = 1});
  begin(abc, {.kind = initial_kind::abc});
  const double before = numbers_of(abc).energy;
  advance(abc, 4, 0.01);
  EXPECT_NEAR(numbers_of(abc).energy - before, 0.3 * 0.04, 1e-9);
}

// dc/dt = -G v where c is 0: after a short step c is -G v dt but for terms of its square.
TEST_F(flows, carry_a_mean_gradient_down) {
  constexpr double dt = 1e-4;
  for (const time_scheme scheme : {time_scheme::rk3, time_scheme::rk4}) {
    const space on(team(), cube(12));
    flow of(on, {.scheme = scheme, .has_scalar = true, .scalar_gradient = 2});
    begin(of, {.kind = initial_kind::isotropic, .peak = 2});
    std::vector<complex> wanted;
    on.for_modes([&](const mode& m) { wanted.push_back(-2 * dt * of.state().velocity.data(1)[m.at]); });
    advance(of, 1, dt);
    std::size_t n = 0;
    double most = 0;
    const complex* const c = of.state().scalar->data();
    on.for_modes([&](const mode& m) { most = std::max(most, std::abs(c[m.at] - wanted[n++])); });
    EXPECT_LT(most, 1e-7);
    EXPECT_GT(numbers_of(of).scalar_variance, 1e-9);
  }
}

TEST_F(flows, at_rest_let_scalars_diffuse_by_either_scheme) {
  for (const time_scheme scheme : {time_scheme::rk3, time_scheme::rk4}) {
    const space on(team(), cube(8));
    flow still(on, {.viscosity = 0.1, .scheme = scheme, .has_scalar = true, .diffusivity = 0.3});
    begin(still, {.kind = initial_kind::rest}, true);
    advance(still, 4, 0.1);
    EXPECT_NEAR(numbers_of(still).scalar_variance, 0.5 * std::exp(-2 * 0.3 * 0.4), 1e-15);
  }
}

// What a shell gains without viscosity in a short time is what is transferred to it.
TEST_F(flows, gain_in_each_shell_what_is_transferred_to_it) {
  constexpr double dt = 1e-4;
  const space on(team(), cube(12));
  flow euler(on, {});
  begin(euler, {.kind = initial_kind::isotropic, .peak = 2});
  const shell_spectra before = spectra_of(euler);
  advance(euler, 1, dt);
  const shell_spectra after = spectra_of(euler);
  double most = 0;
  for (std::size_t k = 0; k < before.energy.size(); ++k) {
    const double transfer = (before.transfer[k] + after.transfer[k]) / 2;
    most = std::max(most, std::abs(transfer));
    EXPECT_NEAR((after.energy[k] - before.energy[k]) / dt, transfer, 1e-7) << "shell " << k;
  }
  EXPECT_GT(most, 1e-3);
}

// A wind along one axis passes its own spacing, whatever those of the others are.
TEST_F(flows, are_as_fast_as_their_wind_along_the_spacing_of_its_axis) {
  const space on(team(), {{8, 10, 12}, {1, 2, 4}});
  for (std::size_t d = 0; d < 3; ++d) {
    flow wind(on, {});
    set_velocity(wind, [d](double, double, double) {
      std::array<double, 3> u{};
      u[d] = 3;
      return u;
    });
    double fastest = 0;
    wind.step([&](double found) { return fastest = found, 1e-3; });
    const std::array<double, 3> spacings{2 * pi * 4 / 12, 2 * pi * 2 / 10, 2 * pi * 1 / 8};
    EXPECT_NEAR(fastest, 3 / spacings[d], 1e-12);
  }
}

std::vector<char> bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <class T>
std::vector<T> numbers_in(const std::filesystem::path& file) {
  const std::vector<char> bytes = bytes_of(file);
  std::vector<T> numbers(bytes.size() / sizeof(T));
  std::copy(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(numbers.size() * sizeof(T)),
            reinterpret_cast<char*>(numbers.data()));
  return numbers;
}

// Of the flow of Arnold, Beltrami and Childress vorticity is velocity, at every point of the grid.
void expect_vorticity_in_snapshots(const nearfar::team& team, const std::filesystem::path& folder,
                                   dealiasing_rule rule) {
  const space on(team, {{6, 8, 10}, {1, 1, 1}, rule});
  flow abc(on, {});
  begin(abc, {.kind = initial_kind::abc});
  snapshot_settings how;
  how.format = "zarr", how.policy = "synchronous", how.path = (folder / "film").string();
  snapshots film(abc, how, 1, {});
  film.write(0);
  film.close();
  if (team.is_root()) {
    const auto all = folder / "film.zarr";
    std::array<std::vector<float>, 4> fields;
    for (std::size_t f = 0; f < 4; ++f)
      fields[f] = numbers_in<float>(all / std::array{"u", "v", "w", "vorticity"}[f] / "c.0.0.0.0");
    EXPECT_EQ(fields[3].size(), 480u);
    float most = 0;
    for (std::size_t i = 0; i < fields[3].size(); ++i)
      most = std::max(most, std::abs(std::hypot(fields[0][i], fields[1][i], fields[2][i]) - fields[3][i]));
    EXPECT_LT(most, 1e-6F);
    for (std::size_t i = 0; i < fields[0].size(); ++i) {
      const double x = 2 * pi * static_cast<double>(i % 10) / 10, y = 2 * pi * static_cast<double>(i / 10 % 8) / 8,
                   z = 2 * pi * static_cast<double>(i / 80) / 6;
      EXPECT_NEAR(fields[0][i], std::sin(z) + std::cos(y), 1e-6);
      EXPECT_NEAR(fields[1][i], std::sin(x) + std::cos(z), 1e-6);
    }
    for (const auto& [name, points] : {std::pair{"x", 10}, {"y", 8}, {"z", 6}}) {
      const std::vector<double> places = numbers_in<double>(all / name / "c.0");
      EXPECT_EQ(places.size(), static_cast<std::size_t>(points));
      for (std::size_t i = 0; i < places.size(); ++i)
        EXPECT_NEAR(places[i], 2 * pi * static_cast<double>(i) / points, 1e-12) << name;
    }
  }
}

TEST_F(flows, have_vorticity_and_places_in_their_snapshots) {
  for (const dealiasing_rule rule :
       {dealiasing_rule::two_thirds, dealiasing_rule::three_halves, dealiasing_rule::none}) {
    const auto folder = new_folder();
    expect_vorticity_in_snapshots(team(), folder, rule);
    remove(folder);
  }
}

// A part of the box in double precision, some fields alone, all snapshots in one file that says what is in it.
TEST_F(flows, have_snapshots_of_parts_in_one_file) {
  const auto folder = new_folder();
  const space on(team(), {{6, 8, 10}, {1, 1, 1}});
  flow abc(on, {});
  begin(abc, {.kind = initial_kind::abc});
  snapshot_settings how;
  how.format = "hdf5", how.policy = "synchronous", how.path = (folder / "film").string(), how.interval = 0.5;
  how.fields = {"w"}, how.is_double = true, how.from = {0.2, 0.5, 0}, how.to = {0.8, 0.5, 1};
  {
    snapshots film(abc, how, 1, {});  // three of them
    film.write(0), film.write(0.5);
    film.close();
  }
  EXPECT_TRUE(rank() != 0 || std::filesystem::exists(folder / "film.h5"));
  nearfar::output_reader file(team(), how.path);
  ASSERT_EQ(file.arrays().size(), 1u);
  const nearfar::output_array& w = file.arrays()[0];
  EXPECT_EQ(w.extents, (std::vector<index_t>{6, 1, 7}));
  EXPECT_EQ(w.type, nearfar::element_type::float64);
  EXPECT_THAT(w.attributes, testing::Contains(std::pair<std::string, std::string>{"long_name", "velocity along z"}));
  ASSERT_EQ(file.steps().size(), 2u);
  file.select({{.name = "w", .wanted = {3, {0, 0, 0}, {6, 1, 7}}}});
  file.begin_step(1);
  std::vector<double> values(42);
  file.get("w", values.data());
  for (int k = 0; k < 6; ++k)
    for (int i = 0; i < 7; ++i)
      EXPECT_NEAR(values[static_cast<std::size_t>(7 * k + i)],
                  std::sin(2 * pi * 4 / 8) + std::cos(2 * pi * (i + 2) / 10), 1e-12);
  file.end_step();
  remove(folder);
}

/// @param rule  a snapshot has all modes that it keeps
void expect_start_from_snapshot(const nearfar::team& team, const std::filesystem::path& folder, dealiasing_rule rule) {
  const space on(team, {{6, 8, 10}, {1, 1, 1}, rule}), other(team, {{6, 8, 8}, {1, 1, 1}, rule});
  flow before(on, {.viscosity = 0.1, .has_scalar = true}), after(on, {.viscosity = 0.1, .has_scalar = true});
  begin(before, {.kind = initial_kind::isotropic, .peak = 1}, true);
  snapshot_settings how;
  how.format = "rsf", how.policy = "synchronous", how.path = (folder / "film").string(), how.is_double = true;
  {
    snapshots film(before, how, 1, {});
    film.write(0);
    advance(before, 3, 0.05);
    film.write(0.15);
    film.close();
  }
  const initial_options from{.kind = initial_kind::file, .file = how.path};
  begin(after, from);
  EXPECT_LT(distance(before, after), 1e-14);
  flow elsewhere(other, {});
  try {
    begin(elsewhere, from);
    ADD_FAILURE() << "nothing was said";
  } catch (const nearfar::usage_error& e) {
    EXPECT_THAT(e.what(), testing::AllOf(testing::HasSubstr("6 x 8 x 10"), testing::HasSubstr("6 x 8 x 8")));
  }
}

TEST_F(flows, begin_with_the_last_snapshot_of_a_file) {
  for (const dealiasing_rule rule : {dealiasing_rule::two_thirds, dealiasing_rule::three_halves}) {
    const auto folder = new_folder();
    expect_start_from_snapshot(team(), folder, rule);
    remove(folder);
  }
}

}  // namespace
}  // namespace turbulence::test
