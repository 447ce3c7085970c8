// SPDX-License-Identifier: BSD-3-Clause
// The ground goes on beyond the grid, into the layers at its sides.
#pragma once

#include <cstdint>
#include <model/formulas.hpp>
#include <nearfar/box.hpp>

namespace seismic {

/// The grid with so many more points on each side (z: low is the top).
grid padded(const grid& inner, const nearfar::ghosts& by);

/// A property over the padded grid: outside the inner one it is what is at the nearest point there.
shared_property padded_property(shared_property of, const grid& inner, const nearfar::ghosts& by);

/// The mini-app's random sides, over the padded grid: at a distance of d of the layer's width (Chebyshev's distance, 0
/// to 1) a velocity is (1 - d) * that of the nearest inner point + d * r * most, r a random share of the point's own;
/// in `border` outermost cells it is 0. On a side whose width `by` is not above `border` it is 0.
///
/// The same r for vp and vs; it depends on the padded grid, the place and the seed only. @source Clapp 2009; the
/// Fletcher mini-app, where r is libc's rand()
/// @param most  the largest such velocity of the whole inner grid
shared_property random_sides(shared_property of, const grid& inner, const nearfar::ghosts& by, int border, double most,
                             std::uint64_t seed);

}  // namespace seismic
