// SPDX-License-Identifier: BSD-3-Clause
// A run's series beside a reference curve.
#pragma once

#include <string>

namespace turbulence {

/// How far energy, dissipation and enstrophy of a series are from a reference: at whole times, at most, as root mean
/// square, and at the peak of dissipation. Both are text; an empty reference is the Taylor-Green vortex at Re = 1600.
/// Local. @throws nearfar::usage_error  no series, or no time that both have
std::string comparison_of(const std::string& series, const std::string& series_name, const std::string& reference,
                          const std::string& reference_name);

}  // namespace turbulence
