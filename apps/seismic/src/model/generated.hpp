// SPDX-License-Identifier: BSD-3-Clause
// Grounds that are made up: salt and thrust faults, as wide and deep as the grid is.
#pragma once

#include <array>
#include <model/formulas.hpp>

namespace seismic {

/// What is at a place; angles in radians, of the normal of its layer.
struct rock {
  double vp = 0, epsilon = 0, delta = 0, tilt = 0, azimuth = 0;
  double least_vs = 0;  ///< where sigma's is less
};

/// Places as shares of the grid's extent: 0 to 1 along each of z, y, x (flat grids: y = 1/2), and the extents in metres
/// for slopes.
struct shares {
  std::array<double, 3> at{}, extent_m{};
};

/// Folded layers, faster with depth (2000 to 3900 m/s), thin ones alternating, around a body of salt of 4480 m/s, and
/// flat, isotropic ground of 2000 m/s over them, in which sources make no shear waves. Salt and ground have velocities
/// of shear waves nevertheless: without them the self-adjoint system would be unstable at their sides. Slopes of layers
/// reach about 35 degrees where a grid is as deep as wide; the axis of symmetry is normal to them. @source ours
rock salt_rock(const shares& where);

/// Sheets pushed over one another along three faults that dip along x: layers of 2300 to 5200 m/s, which slope
/// differently on both sides of a fault, so that the axis of symmetry jumps there. @source ours, after the look of the
/// SEG/EAGE overthrust model
rock thrust_rock(const shares& where);

/// All six properties of one of these; vs from sigma, or the rock's least.
std::array<shared_property, 6> generated_properties(const grid& all, rock (*formula)(const shares&),
                                                    const std::string& name, double sigma);

/// The mini-app's standard media: vp = 3000 m/s; VTI epsilon = 0.24, delta = 0.1; TTI with an axis at 45 degrees of
/// tilt and 1 radian of azimuth besides; vs from sigma, which the mini-app has as 0.75: 1296.1 m/s.
std::array<shared_property, 6> fletcher_properties(medium_kind kind, double sigma);

}  // namespace seismic
