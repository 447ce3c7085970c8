// SPDX-License-Identifier: BSD-3-Clause
// The lines of one axis of a block of memory, any number of loops over them, all modes or some.
#pragma once

#include <fourier/engine.hpp>
#include <memory>
#include <string>
#include <vector>

#include "shape.hpp"

namespace nearfar::fft {

/// Strides are in elements of the array in question.
struct line_job {
  fourier::kind what = fourier::kind::forward;
  index_t length = 1;           ///< of the transform
  index_t modes = 1;            ///< fewer than the length: the spectral lines have as many, and the others are zero
  bool is_spectral_in = false;  ///< the input is the side with fewer modes
  bool is_on_complex = false;   ///< a real-to-real kind on the real and the imaginary parts of complex elements
  bool is_nyquist_kept = true;  ///< fft_nyquist::shared
  bool past_caches = false;     ///< the own engine stores the output past the caches, where all modes are kept
  index_t in_stride = 1, out_stride = 1;
  std::vector<fourier::loop> loops;  ///< over lines
};

template <class Real>
class line_runner {
 public:
  virtual ~line_runner() = default;
  virtual void run(const void* in, void* out) = 0;
  virtual std::string describe() const = 0;
};

/// Loops of one line are left out, loops that continue each other joined, the one with the smallest strides comes
/// first.
std::vector<fourier::loop> joined(std::vector<fourier::loop> loops);

/// @throws usage_error if there is no such engine
template <class Real>
std::unique_ptr<line_runner<Real>> make_lines(const line_job& job, const std::string& engine, fourier::effort how);

/// Lines of which only some modes exist: always by our own engine, since it reads and writes a line in pieces.
template <class Real>
std::unique_ptr<line_runner<Real>> make_truncated_lines(const line_job& job);

}  // namespace nearfar::fft
