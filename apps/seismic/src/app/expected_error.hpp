// SPDX-License-Identifier: BSD-3-Clause
// How far a trace is to be expected from the exact one, in homogeneous ground.
#pragma once

#include <wavelet/wavelet.hpp>

namespace seismic {

struct error_setting {
  double slowest_m_s = 0, spacing_m = 0;
  int order = 8;           ///< of differences in space
  double dt_s = 0;         ///< whose error is left in; 0: it is taken out
  bool is_tilted = false;  ///< mixed derivatives count, too
  double path_m = 0;
};

/// Relative, of the phase velocity of such a wave: the wave is as much too fast. Along the axes of the grid, or along a
/// diagonal between two of them with the axis of symmetry there, whichever is off by more.
double velocity_error(double frequency_hz, const error_setting& where);

/// Relative L2 distance of a trace of this wavelet after that path. @source ours: the phases that a plane wave is off
/// by
double trace_error(const wavelet& w, const error_setting& where);

}  // namespace seismic
