// SPDX-License-Identifier: BSD-3-Clause
// Facts about a shape: which serial transform each axis needs in each direction, and how long its lines are on both
// sides.
#pragma once

#include <base/axis_names.hpp>
#include <base/numbers.hpp>
#include <fourier/line_shape.hpp>
#include <nearfar/fft.hpp>

namespace nearfar::fft {

inline std::size_t at(int d) noexcept { return static_cast<std::size_t>(d); }

/// Throws usage_error, naming the axis, unless the shape can be transformed. Fills in defaults.
fft_shape checked(const fft_shape& shape);

/// One axis of a checked shape.
struct axis_facts {
  fft_kind kind = fft_kind::none;
  index_t length = 1;   ///< of the transform
  index_t modes = 1;    ///< kept of it
  index_t entries = 1;  ///< elements of a line on the spectral side
};
axis_facts facts_of(const fft_shape& checked_shape, int axis);

bool is_real_to_real(fft_kind kind) noexcept;
fourier::kind forward_of(fft_kind kind);
fourier::kind backward_of(fft_kind kind);

/// "64 r2c x 64 c2c (42 modes)".
std::string describe(const fft_shape& checked_shape);

}  // namespace nearfar::fft
