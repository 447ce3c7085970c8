// SPDX-License-Identifier: BSD-3-Clause
// Properties from files.
#pragma once

#include <files/array_source.hpp>
#include <memory>
#include <model/formulas.hpp>
#include <settings/settings.hpp>
#include <string>

namespace seismic {

/// Opens NAME.rsf, NAME.npy, NAME.sgy, NAME.segy, NAME.h5, NAME.hdf5, the last two with or without ":/dataset".
/// @throws nearfar::usage_error  another ending; nearfar::io_error  what the format refuses
std::shared_ptr<const array_source> open_array(const std::string& name);

/// The grid that a file's array is of, y being one point if it has none; nan where the file does not say.
/// @throws nearfar::usage_error  not of two or three dimensions, a unit of length other than m and km
grid grid_of_file(const array_source& file, file_order order);

/// A file's array as a property: [z][y][x] or [z][x] (depth_slowest), [y][x][z] or [x][z] (depth_fastest; SEG-Y is
/// always that).
///
/// Along x and z the file has as many points as the grid. Along y, too; or it has one, and is extruded: the value at
/// (x, y) is that of the file at x - slope (y - middle of the grid), linear between its points, beyond its ends what is
/// at the end. With slope 0 all planes are the file.
/// @throws nearfar::usage_error  sizes that do not agree, with both
shared_property file_property(std::shared_ptr<const array_source> file, file_order order, const grid& all,
                              double slope);

}  // namespace seismic
