// SPDX-License-Identifier: BSD-3-Clause
// Rates of change: the rotational form, the scalar's transport, forcing, pressure.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nearfar/collective.hpp>
#include <nearfar/reproducible.hpp>
#include <solver/flow.hpp>

namespace turbulence {
namespace {

complex times_i(const complex& a) { return {-a.imag(), a.real()}; }

}  // namespace

flow_state::flow_state(const space& on, bool has_scalar) : velocity(on.layout().spectral(), 3) {
  if (has_scalar) scalar.emplace(on.layout().spectral(), 1);
}

std::vector<complex*> flow_state::all() const {
  std::vector<complex*> fields{velocity.data(0), velocity.data(1), velocity.data(2)};
  if (scalar) fields.push_back(scalar->data());
  return fields;
}

flow::flow(const space& on, const flow_options& options)
    : on_(on),
      options_(options),
      between_(on, options.engine, options.has_scalar),
      now_(on, options.has_scalar),
      rate_(on, options.has_scalar),
      sum_(on, options.has_scalar),
      u_(on.layout().physical(), 3),
      w_(on.layout().physical(), 3) {
  if (options.scheme == time_scheme::rk4) stage_.emplace(on, options.has_scalar);
  if (!options.has_scalar) return;
  c_.emplace(on.layout().physical(), 1), flux_.emplace(on.layout().spectral(), 3);
}

void flow::take_velocity(const real_fields& from, transforms& by) {
  by.forward(from, now_.velocity);
  project(now_.velocity);
}

void flow::take_scalar(const real_fields& from) { between_.forward(from, *now_.scalar); }

void flow::project(const mode_fields& of) const {
  complex *const u = of.data(0), *const v = of.data(1), *const w = of.data(2);
  on_.for_modes([&](const mode& m) {
    const double k2 = m.k2();
    if (k2 == 0) return;
    const complex along = (m.k[0] * u[m.at] + m.k[1] * v[m.at] + m.k[2] * w[m.at]) / k2;
    u[m.at] -= m.k[0] * along, v[m.at] -= m.k[1] * along, w[m.at] -= m.k[2] * along;
  });
}

void flow::curl(const mode_fields& of, const mode_fields& to) const {
  const complex *const u = of.data(0), *const v = of.data(1), *const w = of.data(2);
  complex *const a = to.data(0), *const b = to.data(1), *const c = to.data(2);
  on_.for_modes([&](const mode& m) {
    a[m.at] = times_i(m.k[1] * w[m.at] - m.k[2] * v[m.at]);
    b[m.at] = times_i(m.k[2] * u[m.at] - m.k[0] * w[m.at]);
    c[m.at] = times_i(m.k[0] * v[m.at] - m.k[1] * u[m.at]);
  });
}

void flow::rates(const flow_state& of, const flow_state& to) {
  between_.backward(of.velocity, u_);
  curl(of.velocity, to.velocity);
  between_.backward(to.velocity, w_);
  const double *const u = u_.data(0), *const v = u_.data(1), *const w = u_.data(2);
  double *const a = w_.data(0), *const b = w_.data(1), *const c = w_.data(2);
  for (index_t i = 0; i < u_.elements(); ++i) {
    const double x = a[i], y = b[i], z = c[i];
    a[i] = v[i] * z - w[i] * y, b[i] = w[i] * x - u[i] * z, c[i] = u[i] * y - v[i] * x;
  }
  between_.forward(w_, to.velocity);
  if (options_.wave_frequency() != 0 || options_.buoyancy != 0) turn_and_lift(of, to);
  // Before the projection: what rounding leaves of divergence in the velocity must not be forced, or it grows.
  if (options_.forcing_power > 0) force(of, to);
  project(to.velocity);
  if (of.scalar) transport_scalar(of, to);
}

double flow_options::wave_frequency() const {
  const double turning = 2 * std::hypot(rotation[0], rotation[1], rotation[2]);
  return std::sqrt(turning * turning + std::abs(buoyancy * scalar_gradient));
}

/// What is linear: Coriolis' force and buoyancy.
void flow::turn_and_lift(const flow_state& of, const flow_state& to) const {
  const auto [a, b, c] = options_.rotation;
  const complex *const u = of.velocity.data(0), *const v = of.velocity.data(1), *const w = of.velocity.data(2);
  const complex* const scalar = of.scalar ? of.scalar->data() : nullptr;
  complex *const x = to.velocity.data(0), *const y = to.velocity.data(1), *const z = to.velocity.data(2);
  on_.for_modes([&](const mode& m) {
    x[m.at] += 2.0 * (c * v[m.at] - b * w[m.at]);
    y[m.at] += 2.0 * (a * w[m.at] - c * u[m.at]);
    z[m.at] += 2.0 * (b * u[m.at] - a * v[m.at]);
    if (scalar != nullptr) y[m.at] += options_.buoyancy * scalar[m.at];
  });
}

void flow::transport_scalar(const flow_state& of, const flow_state& to) {
  between_.backward(*of.scalar, *c_);
  const double* const c = c_->data();
  for (std::size_t d = 0; d < 3; ++d)
    for (index_t i = 0; i < u_.elements(); ++i) w_.data(d)[i] = u_.data(d)[i] * c[i];
  const mode_fields& flux = *flux_;
  between_.forward(w_, flux);
  const complex *const x = flux.data(0), *const y = flux.data(1), *const z = flux.data(2);
  const complex* const v = of.velocity.data(1);
  complex* const rate = to.scalar->data();
  on_.for_modes([&](const mode& m) {
    const complex divergence = times_i(m.k[0] * x[m.at] + m.k[1] * y[m.at] + m.k[2] * z[m.at]);
    rate[m.at] = -divergence - options_.scalar_gradient * v[m.at];
  });
}

bool flow::is_forced(const mode& m) const {
  const double k2 = m.k2();
  return k2 > 0 && k2 <= options_.forcing_highest * options_.forcing_highest;
}

double flow::forced_square(const flow_state& of) const {
  nearfar::exact_sum square;
  on_.for_modes([&](const mode& m) {
    if (!is_forced(m)) return;
    for (std::size_t d = 0; d < 3; ++d) square.add(m.weight() * std::norm(of.velocity.data(d)[m.at]));
  });
  return nearfar::reproducible_sum(on_.team(), square);
}

// f = P u / (2 E) over the forced modes, whose energy is E: u f adds up to P.
void flow::force(const flow_state& of, const flow_state& to) const {
  const double square = forced_square(of);
  if (!(square > 0)) return;
  const double factor = options_.forcing_power / square;
  on_.for_modes([&](const mode& m) {
    if (!is_forced(m)) return;
    for (std::size_t d = 0; d < 3; ++d) to.velocity.data(d)[m.at] += factor * of.velocity.data(d)[m.at];
  });
}

double flow::fastest() const {
  const double *const u = u_.data(0), *const v = u_.data(1), *const w = u_.data(2);
  const double x = 1 / on_.spacing(2), y = 1 / on_.spacing(1), z = 1 / on_.spacing(0);
  double most = options_.wave_frequency();
  for (index_t i = 0; i < u_.elements(); ++i) {
    const double here = std::abs(u[i]) * x + std::abs(v[i]) * y + std::abs(w[i]) * z;
    // Comparisons with what is not a number are false.
    most = here <= most ? most : here < std::numeric_limits<double>::max() ? here : HUGE_VAL;
  }
  return nearfar::allreduce(on_.team(), most, nearfar::reduce_op::max);
}

}  // namespace turbulence
