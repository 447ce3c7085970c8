// SPDX-License-Identifier: BSD-3-Clause
// Zarr, version 3: a folder per array, JSON beside it, a file per step and part.
#pragma once

#include <cstddef>

namespace nearfar::output {

inline constexpr std::size_t zarr_times_per_chunk = 4096;

class format;
const format& zarr_format();

}  // namespace nearfar::output
