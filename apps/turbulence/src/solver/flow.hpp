// SPDX-License-Identifier: BSD-3-Clause
// Velocity and a scalar in a periodic box, and their steps in time:
//
//     du/dt = u x (curl u + 2 W) - grad(p + u^2/2) + B c e_y + nu lap u + f,   div u = 0
//     dc/dt = -div(u c) - G v + kappa lap c
//
// in Fourier space, where lap is exact by integrating factors and the pressure is what makes div u zero. W is the
// rotation of the frame. With a buoyancy B the scalar is that of Boussinesq's equations, whose gravity is along -y: at
// rest waves have the frequency N = sqrt(B G).
#pragma once

#include <spectral/transforms.hpp>

namespace turbulence {

enum class time_scheme { rk3, rk4 };

struct flow_options {
  double viscosity = 0;
  time_scheme scheme = time_scheme::rk4;
  double forcing_power = 0;    ///< energy per mass and time that forcing puts in; 0: none
  double forcing_highest = 2;  ///< |k| up to which modes are forced, by their own shape
  bool has_scalar = false;
  double diffusivity = 0;
  double scalar_gradient = 0;        ///< G: of the mean scalar, along y
  double buoyancy = 0;               ///< B: acceleration along y that a unit of the scalar makes
  std::array<double, 3> rotation{};  ///< W: of the frame, x, y, z

  /// The highest frequency of waves that rotation and stratification make: 2 W and N together. 0: none.
  double wave_frequency() const;
  std::string engine = "own";
};

/// The state: what a restart needs.
struct flow_state {
  mode_fields velocity;               ///< u, v, w
  std::optional<mode_fields> scalar;  ///< of one field

  flow_state(const space& on, bool has_scalar);
  /// All fields one after the other.
  std::vector<complex*> all() const;
};

class flow {
 public:
  /// At rest. Collective. @throws nearfar::usage_error, nearfar::resource_error  on every rank
  flow(const space& on, const flow_options& options);

  const space& on() const { return on_; }
  const flow_options& options() const { return options_; }
  flow_state& state() { return now_; }
  transforms& between() { return between_; }
  /// An array of three fields whose contents are nobody's between steps.
  const real_fields& points_a() const { return u_; }
  const real_fields& point_scalar() const { return *c_; }  ///< of one field; where there is a scalar
  const mode_fields& modes_a() const { return rate_.velocity; }

  /// Velocity and scalar from points: three arrays as points_a() has them, or one. Modes that are not kept and what is
  /// not free of divergence are dropped. Collective.
  void take_velocity(const real_fields& from) { take_velocity(from, between_); }
  /// From the points of other transforms to the same modes.
  void take_velocity(const real_fields& from, transforms& by);
  void take_scalar(const real_fields& from);
  void project(const mode_fields& of) const;  ///< onto what is free of divergence. Local
  void curl(const mode_fields& of, const mode_fields& to) const;

  /// The rates of change but for viscosity, into `to`; the velocity at points is in points_a() then. Collective.
  void rates(const flow_state& of, const flow_state& to);
  const flow_state& rates_now() { return rates(now_, rate_), rate_; }

  /// Twice the energy of the modes that are forced. Collective.
  double forced_square(const flow_state& of) const;

  /// How long the next step is: told the largest sum of |u|/dx, |v|/dy and |w|/dz over all points, or the frequency of
  /// waves where that is higher, 1/time.
  template <class StepRule>
  double step(const StepRule& rule) {
    rates(now_, rate_);
    const double dt = rule(fastest());
    options_.scheme == time_scheme::rk4 ? rest_of_rk4(dt) : rest_of_rk3(dt);
    return dt;
  }

 private:
  double fastest() const;  ///< infinite if anything is not a number. Collective
  void rest_of_rk3(double dt);
  void rest_of_rk4(double dt);
  bool is_forced(const mode& m) const;
  void force(const flow_state& of, const flow_state& to) const;
  void turn_and_lift(const flow_state& of, const flow_state& to) const;
  void transport_scalar(const flow_state& of, const flow_state& to);

  const space& on_;
  flow_options options_;
  transforms between_;
  flow_state now_, rate_, sum_;
  std::optional<flow_state> stage_;  ///< of order 4
  real_fields u_, w_;
  std::optional<real_fields> c_;
  std::optional<mode_fields> flux_;  ///< of the scalar
};

}  // namespace turbulence
