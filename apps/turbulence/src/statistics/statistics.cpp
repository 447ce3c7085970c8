// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <nearfar/reproducible.hpp>
#include <numbers>
#include <statistics/statistics.hpp>

namespace turbulence {
namespace {

/// Numbers on their way into an exact sum, which takes many at once much faster.
class buffered_sum {
 public:
  void add(double value) {
    values_[held_++] = value;
    if (held_ == values_.size()) flush();
  }
  const nearfar::exact_sum& total() { return flush(), sum_; }

 private:
  void flush() { sum_.add(std::span<const double>(values_.data(), held_)), held_ = 0; }
  nearfar::exact_sum sum_;
  std::array<double, 512> values_{};
  std::size_t held_ = 0;
};

template <std::size_t Count>
std::array<double, Count> over_ranks(const nearfar::team& team, std::array<buffered_sum, Count>& locals) {
  std::array<nearfar::exact_sum, Count> sums;
  for (std::size_t n = 0; n < Count; ++n) sums[n] = locals[n].total();
  std::array<double, Count> all{};
  nearfar::reproducible_sums(team, sums, all);
  return all;
}

double real_product(const complex& a, const complex& b) { return a.real() * b.real() + a.imag() * b.imag(); }

std::vector<double> over_ranks(const nearfar::team& team, std::vector<nearfar::exact_sum>& locals) {
  std::vector<double> all(locals.size());
  nearfar::reproducible_sums(team, locals, all);
  return all;
}

/// du/dx, dv/dy and dw/dz at points; the mean of their skewnesses.
double skewness_of(flow& of) {
  const space& on = of.on();
  const mode_fields& slopes = of.modes_a();
  on.for_modes([&](const mode& m) {
    for (std::size_t d = 0; d < 3; ++d) {
      const complex& u = of.state().velocity.data(d)[m.at];
      slopes.data(d)[m.at] = {-m.k[d] * u.imag(), m.k[d] * u.real()};
    }
  });
  of.between().backward(slopes, of.points_a());
  std::array<buffered_sum, 6> sums;
  for (std::size_t d = 0; d < 3; ++d)
    for (const double slope : of.points_a().field(d)) {
      sums[d].add(slope * slope);
      sums[3 + d].add(slope * slope * slope);
    }
  const auto moments = over_ranks(on.team(), sums);
  const auto [nz, ny, nx] = on.points();
  const auto points = static_cast<double>(nz * ny * nx);
  double sum = 0;
  for (std::size_t d = 0; d < 3; ++d)
    if (moments[d] > 0) sum += moments[3 + d] / points / std::pow(moments[d] / points, 1.5);
  return sum / 3;
}

}  // namespace

std::vector<std::string_view> names_of_numbers(bool has_scalar) {
  std::vector<std::string_view> names{"energy",   "dissipation",     "enstrophy", "helicity", "divergence",
                                      "skewness", "taylor_reynolds", "kmax_eta",  "uu",       "vv",
                                      "ww",       "integral_length"};
  if (has_scalar) names.emplace_back("scalar_variance");
  return names;
}

std::vector<double> values_of(const flow_numbers& n, bool has_scalar) {
  std::vector<double> values{n.energy,     n.dissipation, n.enstrophy,       n.helicity,
                             n.divergence, n.skewness,    n.taylor_reynolds, n.resolution,
                             n.squares[0], n.squares[1],  n.squares[2],      n.integral_length};
  if (has_scalar) values.push_back(n.scalar_variance);
  return values;
}

flow_numbers numbers_of(flow& of) {
  const space& on = of.on();
  const mode_fields& vorticity = of.modes_a();
  const mode_fields& velocity = of.state().velocity;
  of.curl(velocity, vorticity);
  std::array<buffered_sum, 9> sums;
  on.for_modes([&](const mode& m) {
    const double weight = m.weight(), k2 = m.k2();
    double uu = 0, ww = 0, uw = 0;
    complex divergence = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const complex &u = velocity.data(d)[m.at], &w = vorticity.data(d)[m.at];
      const double square = std::norm(u);
      uu += square, ww += std::norm(w), uw += real_product(u, w), divergence += m.k[d] * u;
      sums[5 + d].add(weight * square);
    }
    sums[0].add(weight * uu), sums[1].add(weight * ww), sums[2].add(weight * uw);
    sums[3].add(weight * std::norm(divergence));
    if (of.state().scalar) sums[4].add(weight * std::norm(of.state().scalar->data()[m.at]));
    if (k2 > 0) sums[8].add(weight * uu / std::sqrt(k2));
  });
  const auto [uu, ww, uw, divergence2, cc, u2, v2, w2, uu_by_k] = over_ranks(on.team(), sums);
  flow_numbers n;
  const double viscosity = of.options().viscosity;
  n.energy = uu / 2, n.enstrophy = ww / 2, n.dissipation = viscosity * ww, n.helicity = uw, n.scalar_variance = cc;
  n.squares = {u2, v2, w2};
  n.integral_length = uu > 0 ? 3 * std::numbers::pi / 4 * uu_by_k / uu : 0;
  n.divergence = ww > 0 ? std::sqrt(divergence2 / ww) : 0;
  n.skewness = skewness_of(of);
  if (n.dissipation > 0) {
    n.taylor_reynolds = uu / 3 * std::sqrt(15 / (viscosity * n.dissipation));
    n.resolution = on.highest_complete_wave() * std::pow(viscosity * viscosity * viscosity / n.dissipation, 1.0 / 4);
  }
  return n;
}

shell_spectra spectra_of(flow& of) {
  const space& on = of.on();
  const flow_state& rates = of.rates_now();
  const auto shells = static_cast<std::size_t>(on.shells());
  std::vector<nearfar::exact_sum> energy(shells), transfer(shells), enstrophy(shells), scalar(shells);
  on.for_modes([&](const mode& m) {
    const auto shell = static_cast<std::size_t>(on.shell_of(m));
    double uu = 0, un = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const complex& u = of.state().velocity.data(d)[m.at];
      uu += std::norm(u), un += real_product(u, rates.velocity.data(d)[m.at]);
    }
    energy[shell].add(m.weight() * uu / 2), transfer[shell].add(m.weight() * un);
    enstrophy[shell].add(m.weight() * m.k2() * uu);
    if (of.state().scalar) scalar[shell].add(m.weight() * std::norm(of.state().scalar->data()[m.at]));
  });
  shell_spectra s{over_ranks(on.team(), energy), over_ranks(on.team(), transfer), over_ranks(on.team(), enstrophy), {}};
  for (double& value : s.dissipation) value *= of.options().viscosity;
  if (of.state().scalar) s.scalar = over_ranks(on.team(), scalar);
  return s;
}

}  // namespace turbulence
