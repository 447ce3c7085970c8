// SPDX-License-Identifier: BSD-3-Clause
// cuFFT, which transforms lines in GPU memory: opened at run time, never needed to build.
#pragma once

#include <fourier/engine.hpp>
#include <memory>

namespace nearfar::fourier {

/// The calls that are used, by their names in the documentation.
struct cufft_calls {
  using handle = int;
  int (*create)(handle*) = nullptr;  ///< cufftCreate
  /// cufftMakePlanMany64
  int (*make)(handle, int rank, long long* n, long long* in_embed, long long in_stride, long long in_distance,
              long long* out_embed, long long out_stride, long long out_distance, int type, long long batch,
              std::size_t* work_bytes) = nullptr;
  int (*run_c2c)(handle, void*, void*, int direction) = nullptr;  ///< cufftExecC2C, and so on
  int (*run_r2c)(handle, void*, void*) = nullptr;
  int (*run_c2r)(handle, void*, void*) = nullptr;
  int (*run_z2z)(handle, void*, void*, int direction) = nullptr;
  int (*run_d2z)(handle, void*, void*) = nullptr;
  int (*run_z2d)(handle, void*, void*) = nullptr;
  int (*destroy)(handle) = nullptr;
  bool is_whole = false;
};

/// The library, opened at the first call and kept; calls that are not found stay null.
const cufft_calls& cufft_found();

/// @throws usage_error  for real-to-real kinds
template <class Real>
std::unique_ptr<plan<Real>> make_cufft_plan(const line_shape& shape);

}  // namespace nearfar::fourier
