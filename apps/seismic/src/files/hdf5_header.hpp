// SPDX-License-Identifier: BSD-3-Clause
// What a HDF5 file says of the places of a data set's numbers.
#pragma once

#include <files/array_source.hpp>
#include <hdf5/handles.hpp>

namespace seismic {

/// HDF5 has no standard for that; what is looked for, the first that there is:
///
/// - scales that are attached to the data set's dimensions, as netCDF-4 and the output of this library have them:
///   places that are evenly spaced, with `units` m or km;
/// - attributes `spacing` and `origin` of the data set, or else of the file: a number for each dimension in the data
///   set's order, or one for all; metres;
/// - attributes `dx`, `dy`, `dz` and `x0`, `y0`, `z0`, likewise.
/// @source The HDF Group, HDF5 Dimension Scale Specification, for the scales
file_header hdf5_header(hid_t file, hid_t data, std::span<const index_t> extents);

}  // namespace seismic
