// SPDX-License-Identifier: BSD-3-Clause
// The longer proofs of seismic, as a table: what, measured, bound, pass. Exit status 1 where one does not hold.
//
//     seismic-verify [PART...]     space, time, paths, fronts, sides, grazing, growth, energy, transposes; all
//                                  without a name. One rank.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <common/program.hpp>
#include <cstdio>
#include <filesystem>
#include <nearfar/error.hpp>
#include <nearfar/team.hpp>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "../tests/dot_products.hpp"
#include "../tests/energies.hpp"
#include "../tests/fronts.hpp"
#include "../tests/point_sources.hpp"
#include "../tests/reflections.hpp"
#include "../tests/standing_waves.hpp"
#include "../tests/whole_errors.hpp"

namespace {

using namespace seismic;
using namespace seismic::test;

constexpr double degree = std::numbers::pi / 180;

class table {
 public:
  void begin(const std::string& part) {
    std::printf("\n%s (after %.0f s)\n\n| what | measured | bound | pass |\n|---|--:|--:|---|\n", part.c_str(),
                seconds());
  }
  void at_most(const std::string& what, double is, double bound) { row(what, is, bound, "at most", is <= bound); }
  void at_least(const std::string& what, double is, double bound) { row(what, is, bound, "at least", is >= bound); }
  int end() const {
    std::printf("\n%d of %d hold, %.0f s\n", rows_ - failed_, rows_, seconds());
    return failed_ == 0 ? 0 : 1;
  }

 private:
  void row(const std::string& what, double is, double bound, const char* side, bool holds) {
    ++rows_, failed_ += !holds;
    std::printf("| %s | %.4g | %s %.4g | %s |\n", what.c_str(), is, side, bound, holds ? "yes" : "NO");
    std::fflush(stdout);
  }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count(); }

  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  int rows_ = 0, failed_ = 0;
};

const char* name_of(system_kind system) {
  constexpr std::array<const char*, systems> names{"isotropic", "Fletcher VTI", "Fletcher TTI", "self-adjoint"};
  return names[static_cast<std::size_t>(system)];
}
std::string name_of(const std::array<int, 3>& waves) {
  return "(" + std::to_string(waves[2]) + " " + std::to_string(waves[1]) + " " + std::to_string(waves[0]) + ")";
}
std::string in_degrees(double angle) { return std::to_string(std::lround(angle / degree)) + " degrees"; }

constexpr std::array<system_kind, 3> in_space{system_kind::isotropic, system_kind::fletcher_tti,
                                              system_kind::self_adjoint};

/// From 16, 24 and 36 points to a cube of about four waves. Errors of the parts of an operator may cancel on one
/// grid: the better of two pairs counts. Below 1e-6 the rounding of floats has no order.
double order_in_space(const nearfar::team& team, const standing_wave& wave) {
  double order = 0;
  for (const index_t points : {16, 24}) {
    const double coarse = std::abs(velocity_error(team, wave, points)),
                 fine = std::abs(velocity_error(team, wave, points * 3 / 2));
    order = std::max(order, fine < 1e-6 ? wave.order : std::log(coarse / fine) / std::log(1.5));
  }
  return order;
}

/// An order and a half is left to such coarse grids; half-cell products would have order 2 between the axes.
void verify_space(const nearfar::team& team, table& t) {
  t.begin("Order in space, by direction of a plane wave (x y z), as the grid gets finer by 1.5");
  for (const auto system : in_space)
    for (const int order : {4, 8, 12})
      for (const double tilt : {0.0, 30.0, 45.0, 75.0}) {
        if (system == system_kind::isotropic && tilt > 0) continue;
        for (const auto& n : {std::array<int, 3>{4, 0, 0},
                              {0, 0, 4},
                              {0, 3, 3},
                              {0, 3, -3},
                              {3, 0, 3},
                              {3, 0, -3},
                              {2, 3, 2},
                              {-2, 3, 2},
                              {2, -3, 2},
                              {2, 3, -2},
                              {1, 2, 3}}) {
          const standing_wave wave{system, order, fletcher(tilt * degree, 0.7), n};
          t.at_least(std::string(name_of(system)) + ", order " + std::to_string(order) + ", tilt " +
                         in_degrees(tilt * degree) + ", " + name_of(n),
                     order_in_space(team, wave), order - 1.5);
        }
      }
}

void verify_time(const nearfar::team& team, table& t) {
  t.begin("Point sources against the exact field: relative L2 at 1 ms, and its share at half the step");
  for (const auto system :
       {system_kind::isotropic, system_kind::fletcher_vti, system_kind::fletcher_tti, system_kind::self_adjoint})
    for (const auto& [tilt, azimuth] : {std::pair{0.0, 0.0}, {20.0, 1.0}, {45.0, -2.0}, {70.0, 0.3}, {90.0, 2.5}}) {
      const bool has_tilt = system == system_kind::fletcher_tti || system == system_kind::self_adjoint;
      if (!has_tilt && tilt > 0) continue;
      point_source_run run;
      if (system == system_kind::self_adjoint) run.cut_hz = 26, run.end_s = 0.26;
      const material m = system == system_kind::isotropic ? material{} : fletcher(tilt * degree, azimuth);
      const auto wanted = run.exact(system, m, symbol_of(system, m));
      const double at_1_ms = run.error_of(team, system, m, 0.001, wanted),
                   at_half = run.error_of(team, system, m, 0.0005, wanted);
      const std::string what = std::string(name_of(system)) + ", tilt " + in_degrees(tilt * degree);
      t.at_most(what + ": error", at_1_ms, 5e-3);
      t.at_least(what + ": order in time", std::log2(at_1_ms / at_half), 1.85);
    }
}

/// Off by so much: relative differences of measured and exact group velocities.
void add_fronts(const nearfar::team& team, table& t, const front_run& run,
                const std::vector<std::array<double, 3>>& rays, double near_m, double far_m, double bound) {
  const auto ratios = run.velocity_ratios(team, rays, near_m, far_m);
  for (std::size_t r = 0; r < rays.size(); ++r) {
    double along = 0;
    for (std::size_t d = 0; d < 3; ++d) along += rays[r][d] * run.ground.axis()[d];
    t.at_most(std::string(name_of(run.system)) + (run.points.is_flat() ? "" : " in 3-D") + ", tilt " +
                  in_degrees(run.ground.tilt) + ", ray at " + in_degrees(std::acos(std::clamp(along, -1.0, 1.0))),
              std::abs(ratios[r] - 1), bound);
  }
}

void verify_paths(const nearfar::team& team, table& t) {
  t.begin("A Ricker wavelet of 15 Hz through 2000 m/s, points every 10 m, the step that a run chooses: relative L2");
  const auto folder = std::filesystem::temp_directory_path() / ("seismic_verify_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const whole_error_run run{folder.string()};
  for (const double km : {0.5, 1.5, 3.0}) {
    const std::string after = " after " + std::to_string(km).substr(0, 3) + " km";
    const auto plane = run.in_one_dimension(team, 1000 * km), point = run.in_three_dimensions(team, 1000 * km);
    constexpr std::array quantities{"", ", dp/dx", ", vx"};
    constexpr std::array bounds{0.01, 0.015, 0.01};
    for (std::size_t q = 0; q < quantities.size(); ++q) {
      t.at_most("a plane wave" + after + quantities[q], plane[q], bounds[q]);
      t.at_most("a point source" + after + quantities[q], point[q], bounds[q]);
    }
  }
  std::filesystem::remove_all(folder);
}

void verify_fronts(const nearfar::team& team, table& t) {
  t.begin("Group velocities of P from the axis, against Tsvankin's: relative error");
  for (const auto system : {system_kind::fletcher_tti, system_kind::self_adjoint})
    for (const double tilt : {0.0, 35.0, 80.0}) {
      std::vector<std::array<double, 3>> rays;
      for (int n = 0; n < 13; ++n)
        rays.push_back({std::cos(tilt * degree + 15 * n * degree), 0, std::sin(tilt * degree + 15 * n * degree)});
      add_fronts(team, t, {system, fletcher(tilt * degree, 0)}, rays, 900, 1650, 2e-3);
    }
  for (const auto system : {system_kind::fletcher_tti, system_kind::self_adjoint}) {
    const front_run run{system, fletcher(0.7, 1.0), {{113, 113, 113}, {12.5, 12.5, 12.5}, {}}, 25, 0.0005};
    const double diagonal = 1 / std::sqrt(3.0);
    add_fronts(team, t, run,
               {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {diagonal, diagonal, diagonal}, {diagonal, -diagonal, diagonal}}, 260,
               480, 5e-3);
  }
  t.begin("Velocity of normal moveout, vertical axis, against vp (1 + 2 delta)^(1/2): relative error");
  for (const auto system : {system_kind::fletcher_vti, system_kind::self_adjoint}) {
    const front_run run{system, fletcher(0, 0)};
    const double wanted = run.ground.vp * std::sqrt(1 + 2 * run.ground.delta);
    t.at_most(name_of(system), std::abs(run.normal_moveout_m_s(team, 1500, 300) / wanted - 1), 1e-2);
  }
}

/// What layers of so many cells may send back, dB: to a source near a corner, from under up to 45 degrees to the
/// vertical, and from under 60.
struct layer_bounds {
  int cells;
  double corner, up_to_45, at_60;
};

void add_sides(const nearfar::team& team, table& t, const material& m, propagator_options options,
               const layer_bounds& bounds) {
  options.absorbing_cells = bounds.cells;
  const std::string what =
      std::string(name_of(options.system)) + ", " + std::to_string(bounds.cells) + " cells, tilt " + in_degrees(m.tilt);
  t.at_most(what + ", source near a corner",
            reflection_run{{60, 1, 80}, {15, 0, 20}, medium_of(m), options, 500, 150}.reflected_db(team),
            bounds.corner);
  const reflection_run run{{95, 1, 260}, {30, 0, 100}, medium_of(m), options, 600, 150};
  const std::vector<double> degrees{0, 15, 30, 45, 60};
  const auto db = run.reflected_db_at(team, degrees, m.vp * std::sqrt(1 + 2 * m.epsilon));
  for (std::size_t n = 0; n < db.size(); ++n)
    t.at_most(what + ", at " + in_degrees(degrees[n] * degree), db[n],
              degrees[n] > 45 ? bounds.at_60 : bounds.up_to_45);
}

void verify_sides(const nearfar::team& team, table& t) {
  t.begin("What sides send back, dB: C-PML of isotropic media");
  for (const auto& bounds : {layer_bounds{10, -60, -90, -80}, {20, -80, -100, -80}, {30, -90, -100, -100}})
    add_sides(team, t, material{}, {.sides = side_kind::cpml}, bounds);
  t.begin("What sides send back, dB: C-PML of TTI media");
  for (const auto system : {system_kind::fletcher_tti, system_kind::self_adjoint})
    for (const double tilt : {0.0, 40.0, 90.0})
      for (const auto& bounds : {layer_bounds{10, -50, -80, -80}, {20, -70, -100, -100}, {30, -80, -100, -100}})
        add_sides(team, t, fletcher(tilt * degree, 0), {.system = system, .sides = side_kind::cpml}, bounds);
  t.begin("What sides send back, dB: sponges of TTI media");
  for (const auto system : {system_kind::fletcher_tti, system_kind::self_adjoint})
    for (const double tilt : {0.0, 40.0, 90.0})
      for (const auto& bounds : {layer_bounds{20, -16, -18, -13}, {40, -29, -30, -24}, {60, -35, -40, -33}})
        add_sides(team, t, fletcher(tilt * degree, 0), {.system = system, .sides = side_kind::sponge}, bounds);
}

/// Traces 0.5, 1 and 2 km from a source 50 m below a side, 15 Hz, vp 2000 m/s.
void verify_grazing(const nearfar::team& team, table& t) {
  t.begin("Waves along a side, relative L2 against far sides, after 0.5, 1 and 2 km");
  const auto add = [&](system_kind system, double tilt, side_kind sides, int cells, double bound) {
    material m = system == system_kind::isotropic ? material{} : fletcher(tilt * degree, 0);
    m.vs *= 2000 / m.vp, m.vp = 2000;
    const auto errors = survey_near_the_top(system, m, sides, cells).trace_errors(team, {50, 100, 200});
    for (std::size_t n = 0; n < errors.size(); ++n)
      t.at_most(std::string(name_of(system)) + (sides == side_kind::cpml ? ", C-PML of " : ", sponge of ") +
                    std::to_string(cells) + " cells, tilt " + in_degrees(tilt * degree) + ", " +
                    std::array{"0.5", "1", "2"}[n] + " km",
                errors[n], bound);
  };
  for (const int cells : {10, 20, 30}) add(system_kind::isotropic, 0, side_kind::cpml, cells, cells < 20 ? 0.02 : 0.01);
  for (const auto system : {system_kind::fletcher_tti, system_kind::self_adjoint})
    for (const double tilt : {0.0, 20.0, 45.0, 70.0, 90.0}) add(system, tilt, side_kind::cpml, 20, 0.01);
  add(system_kind::fletcher_tti, 45, side_kind::cpml, 10, 0.02);
  add(system_kind::fletcher_tti, 45, side_kind::sponge, 40, 0.5);
}

/// Over 10000 steps, from when the source has ended on: below 1 if nothing grows.
void verify_growth(const nearfar::team& team, table& t) {
  t.begin("C-PML of VTI and TTI media: the largest norm of the fields behind step 1000 of 10000, over the first");
  for (const auto system : {system_kind::fletcher_tti, system_kind::self_adjoint})
    for (const auto& [epsilon, delta, vs] :
         {std::tuple{0.24, 0.1, 1296.0}, {0.4, -0.1, 1800.0}, {0.3, 0.3, 900.0}, {0.1, 0.2, 1300.0}})
      for (const double tilt : {0.0, 10.0, 30.0, 45.0, 60.0, 80.0, 90.0}) {
        if (system == system_kind::self_adjoint && delta > epsilon) continue;
        const material m{3000, vs, epsilon, delta, tilt * degree, 0};
        const growth_run run{{{60, 1, 70}, {10, 10, 10}, {}},
                             medium_of(m),
                             {.system = system,
                              .dt_s = 0.001,
                              .sides = side_kind::cpml,
                              .absorbing_cells = 15,
                              .frequency_hz = 15,
                              .threads = 1}};
        char what[100];
        std::snprintf(what, sizeof what, "%s, epsilon %g, delta %g, tilt %g degrees", name_of(system), epsilon, delta,
                      tilt);
        t.at_most(what, run.growth(team, 10000), 0.1);
      }
}

void verify_energy(const nearfar::team& team, table& t) {
  t.begin("Energy of the self-adjoint system over 10000 steps, random blocks: the largest relative change");
  const grid points{{24, 26, 30}, {12.5, 12.5, 12.5}, {}};
  for (const int order : {4, 8, 12})
    for (unsigned seed = 1; seed <= 4; ++seed) {
      energy_run run(team, points, random_blocks(seed), order);
      const double first = run.energy();
      double most = 0;
      for (int part = 0; part < 10; ++part) run.go_on(1000), most = std::max(most, std::abs(run.energy() / first - 1));
      t.at_most("order " + std::to_string(order) + ", model " + std::to_string(seed), most, 1e-5);
    }
}

void verify_transposes(const nearfar::team& team, table& t) {
  t.begin(
      "Dot products over random blocks and series: relative difference, of the scheme in double and of the program");
  for (const auto& [system, sides, name] :
       {std::tuple{system_kind::self_adjoint, side_kind::rigid, "self-adjoint, rigid sides"},
        {system_kind::self_adjoint, side_kind::sponge, "self-adjoint, sponge"},
        {system_kind::self_adjoint, side_kind::periodic, "self-adjoint, periodic"},
        {system_kind::isotropic, side_kind::sponge, "isotropic, sponge"},
        {system_kind::isotropic, side_kind::cpml, "isotropic, C-PML"}})
    for (const int order : {4, 8, 12})
      for (unsigned seed = 1; seed <= 4; ++seed) {
        dot_product_run run;
        run.steps = 80;
        run.ground = random_blocks(seed);
        run.options = {.system = system, .order = order, .dt_s = 0.0007, .sides = sides, .absorbing_cells = 8};
        run.options.threads = 1, run.options.ghosts = 6;
        const std::string what =
            std::string(name) + ", order " + std::to_string(order) + ", model " + std::to_string(seed);
        t.at_most(what + ": double", run.gap_in_double(seed), 1e-12);
        t.at_most(what + ": program", run.gap_of_kernels(team, seed), 1e-5);
      }
}

struct part {
  const char* name;
  void (*verify)(const nearfar::team&, table&);
};
constexpr std::array parts{
    part{"space", verify_space},   part{"time", verify_time},     part{"paths", verify_paths},
    part{"fronts", verify_fronts}, part{"sides", verify_sides},   part{"grazing", verify_grazing},
    part{"growth", verify_growth}, part{"energy", verify_energy}, part{"transposes", verify_transposes}};

int verify(const nearfar::team& team, const std::vector<std::string>& asked) {
  for (const std::string& name : asked)
    if (std::none_of(parts.begin(), parts.end(), [&](const part& p) { return name == p.name; }))
      throw nearfar::usage_error("no part is called '" + name +
                                 "'; there are space, time, paths, fronts, sides, grazing, growth, energy, transposes");
  if (team.size() != 1) throw nearfar::usage_error("seismic-verify is for one rank");
  table t;
  for (const part& p : parts)
    if (asked.empty() || std::find(asked.begin(), asked.end(), p.name) != asked.end()) p.verify(team, t);
  return t.end();
}

}  // namespace

int main(int argc, char** argv) {
  return apps::run_program("seismic-verify", argc, argv,
                           [](const nearfar::team& team, std::span<const char* const> all) {
                             return verify(team, {all.begin(), all.end()});
                           });
}
