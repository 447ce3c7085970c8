// SPDX-License-Identifier: BSD-3-Clause
// Media of tests: homogeneous ones, and one that changes as sharply as can be.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <model/medium.hpp>
#include <numbers>
#include <utility>

namespace seismic::test {

/// A function of the point's indices.
class formula final : public property {
 public:
  explicit formula(std::function<double(index_t k, index_t j, index_t i)> of) : of_(std::move(of)) {}
  void read(const nearfar::box& where, std::span<float> values) const override {
    std::size_t at = 0;
    for (index_t k = where.lower[0]; k < where.upper[0]; ++k)
      for (index_t j = where.lower[1]; j < where.upper[1]; ++j)
        for (index_t i = where.lower[2]; i < where.upper[2]; ++i) values[at++] = static_cast<float>(of_(k, j, i));
  }
  std::string name() const override { return "formula"; }

 private:
  std::function<double(index_t, index_t, index_t)> of_;
};

/// The same everywhere.
class uniform final : public property {
 public:
  explicit uniform(double value) : value_(static_cast<float>(value)) {}
  void read(const nearfar::box& where, std::span<float> values) const override {
    std::fill_n(values.begin(), where.cells(), value_);
  }
  std::string name() const override { return "uniform"; }

 private:
  float value_;
};

/// One point of a medium, as property_kind lists it.
struct material {
  double vp = 3000, vs = 0, epsilon = 0, delta = 0, tilt = 0, azimuth = 0;
  std::array<double, 3> axis() const {  ///< z, y, x
    return {std::cos(tilt), std::sin(tilt) * std::sin(azimuth), std::sin(tilt) * std::cos(azimuth)};
  }
};

inline medium medium_of(const material& m) {
  medium of;
  const std::array<double, 6> values{m.vp, m.vs, m.epsilon, m.delta, m.tilt, m.azimuth};
  for (std::size_t p = 0; p < values.size(); ++p) of.properties[p] = std::make_shared<uniform>(values[p]);
  return of;
}

/// The original's anisotropic medium, with another axis.
inline material fletcher(double tilt, double azimuth) {
  return {3000, 3000 * std::sqrt(0.14 / 0.75), 0.24, 0.1, tilt, azimuth};
}

/// Blocks of five points, each a medium of its own: tilts and velocities jump from one to the next.
/// The slowest shear waves are those of `slow` m/s, where vp is 2500 m/s.
inline medium sharp_blocks(double slow = 1000) {
  const auto block = [](index_t k, index_t j, index_t i) { return (k / 5 * 7 + j / 5 * 3 + i / 5 * 5) % 6; };
  medium of;
  const auto put = [&](property_kind kind, std::array<double, 6> values) {
    of.set(kind, std::make_shared<formula>([=](index_t k, index_t j, index_t i) {
             return values[static_cast<std::size_t>(block(k, j, i))];
           }));
  };
  put(property_kind::vp, {2000, 3000, 4500, 2500, 1500, 3500});
  put(property_kind::vs, {800, 1300, 1900, slow, 600, 1500});
  put(property_kind::epsilon, {0.24, 0.1, 0.3, 0, 0.2, 0.15});
  put(property_kind::delta, {0.1, 0.1, 0.05, 0, -0.1, 0});
  put(property_kind::tilt, {0.8, 0, 1.5, 0.3, -0.7, 1.1});
  put(property_kind::azimuth, {1, 0, -2, 3, 0.5, 2});
  return of;
}

/// With almost the largest contrast that the self-adjoint system is taken for.
inline medium sharpest_blocks() { return sharp_blocks(770); }

}  // namespace seismic::test
