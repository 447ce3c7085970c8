// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for the part of cuBLAS that multiplies.
#include "mock_cuda.hpp"

namespace {

constexpr int success = 0, invalid_value = 7;

template <class Real>
int scale(int n, Real factor, Real* x, int stride) {
  const mock_cuda_access access(x);
  if (!access.is_device() || n < 0) return invalid_value;
  for (int i = 0; i < n; ++i) x[i * stride] *= factor;
  return success;
}

int something;

}  // namespace

extern "C" {

int cublasCreate_v2(void** handle) { return *handle = &something, success; }
int cublasSscal_v2(void*, int n, const float* factor, float* x, int stride) { return scale(n, *factor, x, stride); }
int cublasDscal_v2(void*, int n, const double* factor, double* x, int stride) { return scale(n, *factor, x, stride); }

}  // extern "C"
