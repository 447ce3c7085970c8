// SPDX-License-Identifier: BSD-3-Clause
// Integrals of traces over time.
#pragma once

#include <span>

namespace seismic {

/// So many samples behind the last one that counts are needed.
inline constexpr int integral_half_width = 8;
/// What is integrated has no frequency above this share of one over the interval: relative errors are then below 1e-3,
/// at 0.25 below 1e-4.
inline constexpr double highest_integrated_share = 1.0 / 3;

/// Each sample becomes `factor` times the integral from the first one to it, for an interval of 1; zeros lie around the
/// samples. In double.
/// @source ours: over an interval the integral is a sum over 16 samples around it, with weights of band_weights
void integrate(std::span<float> trace, double factor);

}  // namespace seismic
