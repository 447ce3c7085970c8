// SPDX-License-Identifier: BSD-3-Clause
// Which one-dimensional transforms are wanted: kind, length, and where the lines lie in the arrays.
#pragma once

#include <array>
#include <base/numbers.hpp>
#include <string>

namespace nearfar::fourier {

/// The transforms, unnormalised, with FFTW's definitions. Forward has exp(-2 pi i jk/n).
enum class kind {
  forward,
  backward,
  real_to_complex,  ///< n reals to n/2 + 1 coefficients, exponent as forward
  complex_to_real,  ///< n/2 + 1 coefficients to n reals; the imaginary parts of the first and, for even n, the last do
                    /// < not count
  dct1,             ///< REDFT00, n >= 2
  dct2,             ///< REDFT10
  dct3,             ///< REDFT01
  dct4,             ///< REDFT11
  dst1,             ///< RODFT00
  dst2,             ///< RODFT10
  dst3,             ///< RODFT01
  dst4,             ///< RODFT11
};

const char* name_of(kind what);
bool is_complex_in(kind what) noexcept;   ///< elements of the input are complex
bool is_complex_out(kind what) noexcept;  ///< elements of the output are complex
bool is_real_to_real(kind what) noexcept;

/// One loop over lines. Strides are in elements of the array in question: reals or complex numbers.
struct loop {
  index_t count = 1;
  index_t in_stride = 0, out_stride = 0;
};

/// Lines of `length` numbers (reals, where a side is real): element k of line (i, j) of the input is at k * in_stride +
/// i * lines[0].in_stride + j * lines[1].in_stride, and likewise in the output. In place (the same array for both) a
/// line's result must cover the memory of that line's input only.
struct line_shape {
  kind what = kind::forward;
  index_t length = 1;
  index_t in_stride = 1, out_stride = 1;
  std::array<loop, 2> lines{};
  bool past_caches = false;  ///< the own engine stores the output past the caches (see bundle_engine::run)

  index_t in_length() const noexcept;   ///< elements of a line of the input
  index_t out_length() const noexcept;  ///< elements of a line of the output
  index_t line_count() const noexcept { return lines[0].count * lines[1].count; }
};

/// Throws usage_error if there is no such transform, or if output elements would fall on each other for certain.
void check(const line_shape& shape);

/// "forward of 64, 64 x 64 lines": for messages and reports.
std::string describe(const line_shape& shape);

}  // namespace nearfar::fourier
