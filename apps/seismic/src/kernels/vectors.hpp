// SPDX-License-Identifier: BSD-3-Clause
// Vectors of floats, and differences along a stride. Included by kernels alone: their types depend on the options of a file.
#pragma once

#include <kernels/kernels.hpp>

namespace seismic {
namespace {  // each variant has its own code

template <int W>
struct vectors {
  typedef float vector __attribute__((vector_size(4 * W)));
  typedef float loose __attribute__((vector_size(4 * W), aligned(4), may_alias));

  static vector at(const float* f) { return *reinterpret_cast<const loose*>(f); }
  static void put(float* f, vector v) { *reinterpret_cast<loose*>(f) = v; }

  /// Along `stride`, by weights as step_arguments has them.
  template <int R>
  static vector first(const float* f, index stride, const float* w) {
    vector sum = w[R] * (at(f + R * stride) - at(f - R * stride));
    for (int k = R - 1; k >= 1; --k) sum += w[k] * (at(f + k * stride) - at(f - k * stride));
    return sum;
  }
  template <int R>
  static vector second(const float* f, index stride, const float* w) {
    vector sum = w[R] * (at(f + R * stride) + at(f - R * stride));
    for (int k = R - 1; k >= 1; --k) sum += w[k] * (at(f + k * stride) + at(f - k * stride));
    return sum + w[0] * at(f);
  }
  struct both {
    vector first, second;
  };
  /// The same bits as first() and second() give, each point loaded once.
  template <int R>
  static both first_and_second(const float* f, index stride, const float* w1, const float* w2) {
    vector above = at(f + R * stride), below = at(f - R * stride);
    both d{w1[R] * (above - below), w2[R] * (above + below)};
    for (int k = R - 1; k >= 1; --k) {
      above = at(f + k * stride), below = at(f - k * stride);
      d.first += w1[k] * (above - below);
      d.second += w2[k] * (above + below);
    }
    d.second += w2[0] * at(f);
    return d;
  }
};

/// next = now + keep (now - before) + change.
template <class Vectors>
void advance(float* next, const float* now, typename Vectors::vector keep, typename Vectors::vector change) {
  const auto p = Vectors::at(now);
  Vectors::put(next, p + keep * (p - Vectors::at(next)) + change);
}

}  // namespace
}  // namespace seismic
