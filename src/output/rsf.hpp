// SPDX-License-Identifier: BSD-3-Clause
// Text headers in the manner of Madagascar (RSF) beside the data files.
#pragma once

#include <nearfar/output.hpp>
#include <string>
#include <vector>

namespace nearfar::output {

/// What a header says of the steps in the file.
struct step_axis {
  index steps = 0;
  double first_time = 0, second_time = 0;
  void note(index step, double time) noexcept;  ///< that this step, the latest, is whole
};

/// All of a header that does not change: names, extents (fastest first, as RSF has them), attributes.
std::string rsf_constants(const output_array& array, const std::string& data_path);

/// The whole header: the steps are axis `axis` (counted from 1).
std::string rsf_header(const std::string& constants, int axis, const step_axis& steps);

}  // namespace nearfar::output
