// SPDX-License-Identifier: BSD-3-Clause
// Libraries with FFTW's interface, opened at run time: never linked, never needed to build.
#pragma once

#include <cstddef>
#include <fourier/engine.hpp>
#include <memory>
#include <string>

namespace nearfar::fourier {

/// As fftw_iodim64 of FFTW 3.
struct fftw_dimension {
  std::ptrdiff_t n, in_stride, out_stride;
};

/// The calls that are used, for one precision; arrays are passed as void pointers. Null: the library has none.
struct fftw_calls {
  using plan = struct fftw_plan_of_library*;
  using dimensions = const fftw_dimension*;
  plan (*make_complex)(int, dimensions, int, dimensions, void*, void*, int sign, unsigned) = nullptr;
  plan (*make_r2c)(int, dimensions, int, dimensions, void*, void*, unsigned) = nullptr;
  plan (*make_c2r)(int, dimensions, int, dimensions, void*, void*, unsigned) = nullptr;
  plan (*make_r2r)(int, dimensions, int, dimensions, void*, void*, const int* kinds, unsigned) = nullptr;
  void (*run_complex)(plan, void*, void*) = nullptr;
  void (*run_r2c)(plan, void*, void*) = nullptr;
  void (*run_c2r)(plan, void*, void*) = nullptr;
  void (*run_r2r)(plan, void*, void*) = nullptr;
  void (*destroy)(plan) = nullptr;

  bool has_complex() const { return make_complex && run_complex && destroy; }
};

struct fftw_library {
  const char* engine;
  fftw_calls for_float, for_double;
};

/// FFTW itself (libfftw3, libfftw3f), or Intel's MKL (libmkl_rt, in one thread); opened at the first call and kept.
/// Calls that are not found stay null.
const fftw_library& fftw_found();
const fftw_library& mkl_found();

template <class Real>
const fftw_calls& calls_of(const fftw_library& library);

template <class Real>
std::unique_ptr<plan<Real>> make_fftw_plan(const fftw_library& library, const line_shape& shape, effort how);

}  // namespace nearfar::fourier
