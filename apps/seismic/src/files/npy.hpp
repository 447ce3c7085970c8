// SPDX-License-Identifier: BSD-3-Clause
// Arrays of NumPy's own format.
#pragma once

#include <files/array_source.hpp>
#include <string>
#include <vector>

namespace seismic {

/// Where the numbers of a file lie: versions 1 to 3, float32 or float64 of either byte order, C order, 1 to 4
/// dimensions.
/// @throws nearfar::io_error  not there, not NPY, other numbers, Fortran order
/// @source numpy.lib.format
array_layout npy_layout(const std::string& path);

/// All numbers of a vector. @throws nearfar::io_error  as above; more dimensions than one, more than `most` numbers
std::vector<double> npy_vector(const std::string& path, index_t most);

}  // namespace seismic
