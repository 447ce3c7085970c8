// SPDX-License-Identifier: BSD-3-Clause
// One property of a medium over a grid, wherever it comes from: a number, a formula, a file.
#pragma once

#include <grid/grid.hpp>
#include <span>
#include <string>

namespace seismic {

/// What a cell of a medium has. Angles are those of the symmetry axis a = (sin tilt cos azimuth, sin tilt sin azimuth,
/// cos tilt), components along x, y and z.
enum class property_kind {
  vp,       ///< velocity of P waves along the axis, m/s
  vs,       ///< velocity of S waves along the axis, m/s
  epsilon,  ///< Thomsen's
  delta,    ///< Thomsen's
  tilt,     ///< radians, from the vertical
  azimuth   ///< radians, from x towards y
};

/// Values of one property. Reading is local: every rank reads its own box.
class property {
 public:
  virtual ~property() = default;
  /// The values of the points of `where`, z slowest, x contiguous: values[((k - lower_z) * ny + j - lower_y) * nx + i -
  /// lower_x]. `where` lies in the grid that the property was made for. @throws nearfar::io_error  a file that cannot
  /// be read
  virtual void read(const nearfar::box& where, std::span<float> values) const = 0;
  /// "vp.rsf", "3000", "layered": for messages.
  virtual std::string name() const = 0;
  /// What it says of itself that is not so in the grid that it was made for; empty: nothing.
  virtual std::string caveat() const { return {}; }
};

}  // namespace seismic
