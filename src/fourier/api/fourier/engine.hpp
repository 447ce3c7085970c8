// SPDX-License-Identifier: BSD-3-Clause
// Serial engines of one-dimensional transforms, by name: our own, and libraries that are found at run time.
#pragma once

#include <fourier/line_shape.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nearfar::fourier {

/// How much time an engine may take to choose its method. Measuring may overwrite nothing of the caller's.
enum class effort { estimate, measure };

/// Lines transformed by one engine. Real is float or double. A plan has scratch memory of its own: one thread at a time
/// runs it.
template <class Real>
class plan {
 public:
  explicit plan(const line_shape& shape) : shape_(shape) {}
  virtual ~plan() = default;
  plan(const plan&) = delete;
  plan& operator=(const plan&) = delete;

  /// Transforms all lines. Arrays are of Real or std::complex<Real> as the kind says, aligned as those are; the same
  /// array for both is in place. Input that is elsewhere is preserved. Nothing is allocated.
  /// @throws usage_error if an array is null and there are lines
  void run(const void* in, void* out);

  const line_shape& shape() const noexcept { return shape_; }
  virtual std::string describe() const = 0;  ///< engine and its method: "own avx512, 8 x 8"

 private:
  virtual void run_checked(const void* in, void* out) = 0;

  line_shape shape_;
};

struct engine_info {
  std::string name;
  std::string description;    ///< one line
  bool is_available;          ///< here and now, for float or double
  bool is_on_device = false;  ///< arrays are in GPU memory; else in the host's
};

/// All engines that are known, the own one first.
std::vector<engine_info> engines();

/// Whether an engine can be had here for numbers of this precision: FFTW has a library for each.
template <class Real>
bool is_available(std::string_view engine);

/// @throws usage_error if there is no such engine here, if it does not do this kind, or if check(shape) does
template <class Real>
std::unique_ptr<plan<Real>> make_plan(std::string_view engine, const line_shape& shape, effort how = effort::estimate);

}  // namespace nearfar::fourier
