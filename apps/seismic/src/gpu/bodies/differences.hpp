// SPDX-License-Identifier: BSD-3-Clause
// Differences on points at distance 1, whose weights the compiler puts into the instructions.
#pragma once

#include <gpu/bodies/qualifiers.hpp>
#include <kernels/weights.hpp>

namespace seismic::gpu {

/// f'(0) of values given by their place, -R … R.
template <int R, class Values>
SEISMIC_GPU float first(const Values& at) {
  constexpr auto w = first_derivative(R);
  float sum = 0;
  SEISMIC_UNROLL
  for (int k = R; k >= 1; --k) sum += static_cast<float>(w[static_cast<unsigned>(k)]) * (at(k) - at(-k));
  return sum;
}

/// f''(0), likewise.
template <int R, class Values>
SEISMIC_GPU float second(const Values& at) {
  constexpr auto w = second_derivative(R);
  float sum = static_cast<float>(w[0]) * at(0);
  SEISMIC_UNROLL
  for (int k = R; k >= 1; --k) sum += static_cast<float>(w[static_cast<unsigned>(k)]) * (at(k) + at(-k));
  return sum;
}

/// Of values in memory, along a stride.
template <int R, class Stride>
SEISMIC_GPU float first(const float* p, Stride stride) {
  return first<R>([=](int k) { return p[k * stride]; });
}
template <int R, class Stride>
SEISMIC_GPU float second(const float* p, Stride stride) {
  return second<R>([=](int k) { return p[k * stride]; });
}

/// The values of a thread's point on planes that go by.
template <int N>
struct queue {
  float value[N];
  SEISMIC_GPU void push(float newest) {
    SEISMIC_UNROLL
    for (int n = 0; n + 1 < N; ++n) value[n] = value[n + 1];
    value[N - 1] = newest;
  }
};

}  // namespace seismic::gpu
