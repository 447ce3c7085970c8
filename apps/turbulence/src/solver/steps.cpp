// SPDX-License-Identifier: BSD-3-Clause
// Runge-Kutta schemes of orders 3 and 4 for exp(nu k^2 t) u, whose rate of change has no viscosity.
// Source: order 3 in two arrays: J. H. Williamson, Low-storage Runge-Kutta schemes, J. Comput. Phys. 35 (1980).
#include <solver/decay.hpp>
#include <solver/flow.hpp>

namespace turbulence {
namespace {

double diffusivity_of(const flow_options& o, std::size_t field) { return field < 3 ? o.viscosity : o.diffusivity; }

}  // namespace

void flow::rest_of_rk3(double dt) {
  constexpr std::array<double, 3> kept{0, -5.0 / 9, -153.0 / 128}, added{1.0 / 3, 15.0 / 16, 8.0 / 15},
      lasts{1.0 / 3, 5.0 / 12, 1.0 / 4};
  for (std::size_t n = 0; n < 3; ++n) {
    if (n > 0) rates(now_, rate_);
    const auto now = now_.all(), rate = rate_.all(), sum = sum_.all();
    for (std::size_t f = 0; f < now.size(); ++f) {
      const decay fading(on_, diffusivity_of(options_, f), lasts[n] * dt);
      on_.for_modes([&, u = now[f], q = sum[f], r = rate[f]](const mode& m) {
        const complex change = n == 0 ? dt * r[m.at] : kept[n] * q[m.at] + dt * r[m.at];
        const double by = fading(m);
        u[m.at] = by * (u[m.at] + added[n] * change), q[m.at] = by * change;
      });
    }
  }
}

// With h = exp(-nu k^2 dt / 2): u(dt) = h^2 u + dt/6 (h^2 r1 + 2 h (r2 + r3) + r4).
void flow::rest_of_rk4(double dt) {
  const auto now = now_.all(), stage = stage_->all(), rate = rate_.all(), sum = sum_.all();
  for (int n = 0; n < 4; ++n) {
    if (n > 0) rates(*stage_, rate_);
    for (std::size_t f = 0; f < now.size(); ++f) {
      const decay half(on_, diffusivity_of(options_, f), dt / 2);
      on_.for_modes([&, u = now[f], s = stage[f], r = rate[f], q = sum[f]](const mode& m) {
        const double h = half(m);
        complex &to = s[m.at], &all = q[m.at];
        const complex is = r[m.at];
        if (n == 0) all = h * (u[m.at] + dt / 6 * is), to = h * (u[m.at] + dt / 2 * is);
        if (n == 1) all += dt / 3 * is, to = h * u[m.at] + dt / 2 * is;
        if (n == 2) all += dt / 3 * is, to = h * (h * u[m.at] + dt * is);
        if (n == 3) u[m.at] = h * all + dt / 6 * is;
      });
    }
  }
}

}  // namespace turbulence
