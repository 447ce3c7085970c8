// SPDX-License-Identifier: BSD-3-Clause
// The formats that are HDF5 inside, and what they share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "formats/format.hpp"

namespace nearfar::output {

class hdf5_maker;

const format& netcdf_format();
const format& hdf5_format();
const format& vtkhdf_format();

/// Words that are a number become one. "/" is the file.
void note_all(hdf5_maker& file, const std::string& object,
              const std::vector<std::pair<std::string, std::string>>& attributes);

/// A file per step, of which nothing else is known before the step.
file_plan plan_of_varying_steps(const format_request& r, const std::string& ending);

fixed_piece piece_of(index_t offset, double value);

/// Unstructured grids (vtkhdf_grid.cpp).
bool is_grid(const std::vector<output_array>& arrays) noexcept;
/// Where an array is in the file.
std::string vtkhdf_name(const output_array& a);
void check_grid(const std::vector<output_array>& arrays);
void check_rows_of_grid(const std::vector<output_array>& arrays, const step_request& step);
step_layout lay_out_grid(const format_request& r, const step_request& step);
/// P.vtkhdf, for vtkhdf_index.cpp: which files it maps, and which of their data sets.
header_file index_of_grids(const format_request& r);

}  // namespace nearfar::output
