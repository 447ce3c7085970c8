// SPDX-License-Identifier: BSD-3-Clause
// exp(-nu k^2 t) as a product of one factor per axis, so that no exponential is taken per mode.
#pragma once

#include <cmath>
#include <spectral/space.hpp>

namespace turbulence {

class decay {
 public:
  decay(const space& on, double viscosity, double time) {
    for (int axis = 0; axis < 3; ++axis)
      for (const double k : on.waves(axis))
        factors_[static_cast<std::size_t>(axis)].push_back(std::exp(-viscosity * k * k * time));
  }
  double operator()(const mode& m) const { return factor(m, 0) * factor(m, 1) * factor(m, 2); }

 private:
  double factor(const mode& m, std::size_t axis) const {
    return factors_[axis][static_cast<std::size_t>(m.index[axis])];
  }
  std::array<std::vector<double>, 3> factors_;
};

}  // namespace turbulence
