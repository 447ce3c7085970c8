// SPDX-License-Identifier: BSD-3-Clause
// Properties that are formulas of the place: the same on any number of ranks.
#pragma once

#include <functional>
#include <memory>
#include <model/property.hpp>
#include <points/points.hpp>
#include <settings/settings.hpp>
#include <span>
#include <string>

namespace seismic {

using shared_property = std::shared_ptr<const property>;

shared_property constant_property(double value);

/// A function of the place, metres.
shared_property formula_property(const grid& all, std::function<double(const position&)> formula, std::string name);

/// What a cell has through which the top of a layer goes.
enum class cell_mean {
  arithmetic,
  of_slowness_squared,  ///< velocities: with a density that is the same a cell is as compressible as its parts together
  largest_part          ///< angles
};

/// Layers in cells of half a spacing around the points; above the first layer there is its value, too.
shared_property layered_property(const grid& all, std::span<const layer> layers,
                                 cell_mean mean = cell_mean::arithmetic);

/// A property times a number: units.
shared_property scaled_property(shared_property of, double factor);

/// vp sqrt(|epsilon - delta| / sigma): shear waves as slow as the mini-app has them, and none where epsilon = delta.
/// @source the Fletcher mini-app; sigma after Tsvankin 2001
shared_property vs_of_sigma(shared_property vp, shared_property epsilon, shared_property delta, double sigma);

}  // namespace seismic
