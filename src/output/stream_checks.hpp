// SPDX-License-Identifier: BSD-3-Clause
// Errors in the arrays and options of a new stream, on this rank and over all ranks.
#pragma once

#include <nearfar/output.hpp>
#include <string>
#include <vector>

namespace nearfar::output {

/// An array's own compression, or that of all.
const std::string& compression_of(const output_array& a, const output_options& o);
/// Local. @throws usage_error  an array, a name or an option that cannot be
void check_stream(const std::string& path, const std::vector<output_array>& arrays, const output_options& options);
/// Collective. @throws usage_error  on every rank: ranks have other paths, arrays or options
void require_alike(const team& members, const std::string& path, const std::vector<output_array>& arrays,
                   const output_options& o);
/// Collective. @throws usage_error  on every rank: boxes that do not cover their array once
void require_covered(const team& members, const std::string& path, const std::vector<output_array>& arrays);

}  // namespace nearfar::output
