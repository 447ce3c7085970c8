// SPDX-License-Identifier: BSD-3-Clause
// The formats that are HDF5 inside.
#pragma once

namespace nearfar::output {

class format;
const format& netcdf_format();
const format& hdf5_format();
const format& vtkhdf_format();

}  // namespace nearfar::output
