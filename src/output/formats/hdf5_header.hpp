// SPDX-License-Identifier: BSD-3-Clause
// Where HDF5 has written how many steps a data set has: an object header of version 1, which has no sum (HDF5 File
// Format Specification, IV.A.1.a), is changed in place.
#pragma once

#include "formats/hdf5_memory.hpp"

namespace nearfar::output {

/// The extent of the first axis, and the place of the data, of the contiguous data set whose header begins at `header`.
/// @throws io_error  if the header of the file `path` is another one
step_count count_in_header(const hdf5_memory& file, index_t header, const std::string& path);

}  // namespace nearfar::output
