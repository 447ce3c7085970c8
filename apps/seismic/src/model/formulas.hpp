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

/// The value of the deepest layer whose top is not below the point; above the first one its value, too.
shared_property layered_property(const grid& all, std::span<const layer> layers);

/// A property times a number: units.
shared_property scaled_property(shared_property of, double factor);

/// vp sqrt(|epsilon - delta| / sigma): shear waves as slow as the mini-app has them, and none where epsilon = delta.
/// @source the Fletcher mini-app; sigma after Tsvankin 2001
shared_property vs_of_sigma(shared_property vp, shared_property epsilon, shared_property delta, double sigma);

}  // namespace seismic
