// SPDX-License-Identifier: BSD-3-Clause
// Datasets of HDF5 files.
#pragma once

#include <files/array_source.hpp>
#include <memory>
#include <string>

namespace seismic {

/// A dataset of numbers, of up to four dimensions, which HDF5 turns into floats. Each read opens the file: nothing
/// stays open.
/// @param dataset  "/model/vp"; empty: the only one in the root group
/// @throws nearfar::io_error  not there, not HDF5, no such dataset (with the names of those that there are), not
/// numbers
std::shared_ptr<const array_source> open_hdf5(const std::string& path, const std::string& dataset);

}  // namespace seismic
