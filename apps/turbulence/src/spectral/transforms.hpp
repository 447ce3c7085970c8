// SPDX-License-Identifier: BSD-3-Clause
// Three fields together, or one, between points and modes; how long that took.
#pragma once

#include <mpi.h>

#include <optional>
#include <spectral/space.hpp>
#include <string>

namespace turbulence {

using real_fields = nearfar::transpose_array<double>;
using mode_fields = nearfar::transpose_array<complex>;

/// Coefficients are those of the Fourier series. Bits do not depend on the number of ranks, as the engine is one.
class transforms {
 public:
  /// Collective. @param engine  of serial transforms: own, fftw or mkl
  /// @throws nearfar::usage_error  on every rank: there is no such engine
  transforms(const space& on, const std::string& engine, bool has_scalar);

  /// Of three fields or one, as the arrays have. Collective; the input stays.
  void backward(const mode_fields& from, const real_fields& to);
  void forward(const real_fields& from, const mode_fields& to);
  double seconds() const { return seconds_; }  ///< that this rank was in these calls
  double fields() const { return fields_; }    ///< transformed in these calls
  /// Seconds of a field when nothing but transforms runs: the least of a few calls on three fields. Collective; both
  /// arrays are overwritten.
  double alone_s(const mode_fields& modes, const real_fields& points);
  std::string describe() const { return three_->describe(); }

 private:
  nearfar::fft_plan<double>& plan_of(std::size_t fields);

  const space& on_;
  std::optional<nearfar::fft_plan<double>> three_, one_;
  double seconds_ = 0, fields_ = 0;
};

}  // namespace turbulence
