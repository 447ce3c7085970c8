// SPDX-License-Identifier: BSD-3-Clause
// The Taylor-Green vortex at Re = 1600, whose curve everybody compares with.
#pragma once

namespace turbulence {

/// Lines of time, energy, -dE/dt and enstrophy; those that begin with # are comments. Source: data/README.md
extern const char* const reference_curve_text;

}  // namespace turbulence
