// SPDX-License-Identifier: BSD-3-Clause
// Text headers in the manner of Madagascar (RSF) beside the data files.
#pragma once

#include <nearfar/output.hpp>
#include <string>
#include <vector>

namespace nearfar::output {

/// All of a header that does not change: names, extents (fastest first, as RSF has them), attributes.
std::string rsf_constants(const output_array& array, const std::string& data_path);

/// The whole header: the steps are axis `axis` (counted from 1).
std::string rsf_header(const std::string& constants, int axis, const std::vector<double>& times);

class format;
const format& rsf_format();

}  // namespace nearfar::output
