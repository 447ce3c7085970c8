// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <nearfar/reproducible.hpp>
#include <solver/from_file.hpp>
#include <solver/initial.hpp>

namespace turbulence {
namespace {

using velocity = std::array<double, 3>;

/// In units of the lengths of the box along x, y and z.
template <class At>
void fill(flow& on, const At& at) {
  const real_fields& u = on.points_a();
  const auto [lz, ly, lx] = on.on().shape().lengths;
  on.on().for_points([&](index_t i, double x, double y, double z) {
    const velocity here = at(x / lx, y / ly, z / lz);
    for (std::size_t d = 0; d < 3; ++d) u.data(d)[i] = here[d];
  });
  on.take_velocity(u);
}

/// @source D. E. Knuth's and G. L. Steele's splitmix64, by whose output function neighbours are unrelated
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// In -1 … 1, without the mathematics library, whose last bits differ between machines.
double number_of(std::uint64_t seed, const std::array<index_t, 3>& wave, std::uint64_t which) {
  std::uint64_t x = mixed(seed);
  for (const index_t k : wave) x = mixed(x ^ static_cast<std::uint64_t>(k));
  return static_cast<double>(mixed(x ^ which) >> 11) * 0x1p-52 - 1;
}

std::array<index_t, 3> wave_of(const space& on, const mode& m) {
  std::array<index_t, 3> wave{};
  for (std::size_t d = 0; d < 3; ++d)
    wave[d] = m.index[d] <= on.highest()[d] ? m.index[d] : m.index[d] - 2 * on.highest()[d] - 1;
  return wave;
}

/// Of the modes with k = 0 along x, those of opposite waves are conjugate to each other.
void set_random(const flow_state& state, const space& on, std::uint64_t seed) {
  on.for_modes([&](const mode& m) {
    std::array<index_t, 3> wave = wave_of(on, m);
    const bool is_turned = wave[2] == 0 && (wave[0] < 0 || (wave[0] == 0 && wave[1] < 0));
    if (is_turned)
      for (index_t& k : wave) k = -k;
    for (std::uint64_t d = 0; d < 3; ++d) {
      const double imaginary = number_of(seed, wave, 2 * d + 1);
      state.velocity.data(d)[m.at] = {number_of(seed, wave, 2 * d), is_turned ? -imaginary : imaginary};
    }
    if (m.k2() == 0)
      for (std::size_t d = 0; d < 3; ++d) state.velocity.data(d)[m.at] = 0;
  });
}

std::vector<double> energies(const flow_state& state, const space& on) {
  std::vector<nearfar::exact_sum> sums(static_cast<std::size_t>(on.shells()));
  on.for_modes([&](const mode& m) {
    for (std::size_t d = 0; d < 3; ++d)
      sums[static_cast<std::size_t>(on.shell_of(m))].add(m.weight() * std::norm(state.velocity.data(d)[m.at]) / 2);
  });
  std::vector<double> all(sums.size());
  nearfar::reproducible_sums(on.team(), sums, all);
  return all;
}

/// What each shell is to have: E(k) ~ k^4 exp(-2 (k / peak)^2) up to the highest wave number of which all directions
/// are there, with that sum.
std::vector<double> wanted_energies(const space& on, double energy, double peak) {
  std::vector<double> wanted(static_cast<std::size_t>(on.shells()));
  double sum = 0;
  for (std::size_t n = 1; n < wanted.size(); ++n) {
    const double k = static_cast<double>(n) * on.shell_width(), scaled = k / peak;
    if (k <= on.highest_complete_wave()) wanted[n] = scaled * scaled * scaled * scaled * std::exp(-2 * scaled * scaled);
    sum += wanted[n];
  }
  for (double& e : wanted) e *= energy / sum;
  return wanted;
}

void make_isotropic(flow& on, const initial_options& options) {
  const space& in = on.on();
  set_random(on.state(), in, options.seed);
  on.project(on.state().velocity);
  const std::vector<double> has = energies(on.state(), in);
  const std::vector<double> wanted = wanted_energies(in, options.energy, options.peak);
  in.for_modes([&](const mode& m) {
    const auto shell = static_cast<std::size_t>(in.shell_of(m));
    const double factor = has[shell] > 0 ? std::sqrt(wanted[shell] / has[shell]) : 0;
    for (std::size_t d = 0; d < 3; ++d) on.state().velocity.data(d)[m.at] *= factor;
  });
}

void make_layers(flow& on) {
  const real_fields c(on.on().layout().physical(), 1);
  const double length = on.on().shape().lengths[1];
  on.on().for_points([&](index_t i, double, double y, double) { c.data()[i] = std::cos(y / length); });
  on.take_scalar(c);
}

}  // namespace

void begin(flow& on, const initial_options& options, bool has_layers) {
  using std::cos, std::sin;
  switch (options.kind) {
    case initial_kind::taylor_green:
      fill(on, [](double x, double y, double z) {
        return velocity{sin(x) * cos(y) * cos(z), -cos(x) * sin(y) * cos(z), 0};
      });
      break;
    case initial_kind::taylor_green_2d:
      fill(on, [](double x, double y, double) { return velocity{sin(x) * cos(y), -cos(x) * sin(y), 0}; });
      break;
    case initial_kind::abc:
      fill(on, [](double x, double y, double z) {
        return velocity{sin(z) + cos(y), sin(x) + cos(z), sin(y) + cos(x)};
      });
      break;
    case initial_kind::isotropic:
      make_isotropic(on, options);
      break;
    case initial_kind::rest:
      break;
    case initial_kind::file:
      if (on.options().has_scalar && has_layers) make_layers(on);
      return take_from_file(on, options.file);  // with its scalar, if it has one
  }
  if (on.options().has_scalar && has_layers) make_layers(on);
}

}  // namespace turbulence
