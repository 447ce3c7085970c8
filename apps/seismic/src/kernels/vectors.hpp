// SPDX-License-Identifier: BSD-3-Clause
// Vectors of floats, and differences along a stride. Included by kernels alone: their types depend on the options of a
// file.
#pragma once

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include <gpu/bodies/qualifiers.hpp>
#include <kernels/kernels.hpp>
#include <utility>

namespace seismic {
namespace {  // each variant has its own code

/// Weights that the compiler knows, and keeps in registers: as arguments they would be loaded anew after each store.
template <int R>
struct weights {
  static constexpr auto firsts = first_derivative(R), seconds = second_derivative(R);
  static constexpr float first(int k) { return static_cast<float>(firsts[static_cast<std::size_t>(k)]); }
  static constexpr float second(int k) { return static_cast<float>(seconds[static_cast<std::size_t>(k)]); }
};

template <int W>
struct vectors {
  typedef float vector __attribute__((vector_size(4 * W)));
  typedef float loose __attribute__((vector_size(4 * W), aligned(4), may_alias));

  SEISMIC_GPU static vector at(const float* f) { return *reinterpret_cast<const loose*>(f); }
  SEISMIC_GPU static void put(float* f, vector v) { *reinterpret_cast<loose*>(f) = v; }

  // Differences on points at distance 1, along a stride.
  template <int R>
  SEISMIC_GPU static vector first(const float* f, index_t stride) {
    using w = weights<R>;
    vector sum = w::first(R) * (at(f + R * stride) - at(f - R * stride));
    for (int k = R - 1; k >= 1; --k) sum += w::first(k) * (at(f + k * stride) - at(f - k * stride));
    return sum;
  }
  template <int R>
  SEISMIC_GPU static vector second(const float* f, index_t stride) {
    using w = weights<R>;
    vector sum = w::second(R) * (at(f + R * stride) + at(f - R * stride));
    for (int k = R - 1; k >= 1; --k) sum += w::second(k) * (at(f + k * stride) + at(f - k * stride));
    return sum + w::second(0) * at(f);
  }
  struct both {
    vector first, second;
  };
  /// The same bits as first() and second() give, each point loaded once.
  template <int R>
  SEISMIC_GPU static both first_and_second(const float* f, index_t stride) {
    using w = weights<R>;
    vector above = at(f + R * stride), below = at(f - R * stride);
    both d{w::first(R) * (above - below), w::second(R) * (above + below)};
    for (int k = R - 1; k >= 1; --k) {
      above = at(f + k * stride), below = at(f - k * stride);
      d.first += w::first(k) * (above - below);
      d.second += w::second(k) * (above + below);
    }
    d.second += w::second(0) * at(f);
    return d;
  }

  /// A vector on a cache line and those on either side of it. Loads that straddle two lines cost two, so AVX-512, whose
  /// vectors are as long as lines, shifts what it has.
  class along_x {
   public:
    explicit along_x(const float* f) : f_(f) {
      if constexpr (W == 16) before_ = vectors::at(f - W), here_ = vectors::at(f), behind_ = vectors::at(f + W);
    }
    template <int K>
    vector at() const {
#ifdef __AVX512F__
      if constexpr (W == 16 && K > 0)
        return reinterpret_cast<vector>(_mm512_maskz_alignr_epi32(all, bits(behind_), bits(here_), K));
      if constexpr (W == 16 && K < 0)
        return reinterpret_cast<vector>(_mm512_maskz_alignr_epi32(all, bits(here_), bits(before_), W + K));
#endif
      return vectors::at(f_ + K);
    }

   private:
#ifdef __AVX512F__
    static constexpr __mmask16 all = 0xffff;  // the instruction without a mask seems to read what was not set
    static __m512i bits(vector v) { return reinterpret_cast<__m512i>(v); }
#endif
    const float* f_;
    vector before_, here_, behind_;
  };
  template <int R>
  SEISMIC_GPU static vector first_along_x(const float* f) {
    using w = weights<R>;
    const along_x u(f);
    return [&]<int... K>(std::integer_sequence<int, K...>) {
      vector sum{};
      ((sum += w::first(R - K) * (u.template at<R - K>() - u.template at<K - R>())), ...);
      return sum;
    }
    (std::make_integer_sequence<int, R>{});
  }
  template <int R>
  SEISMIC_GPU static vector second_along_x(const float* f) {
    using w = weights<R>;
    const along_x u(f);
    return [&]<int... K>(std::integer_sequence<int, K...>) {
      vector sum = w::second(0) * u.template at<0>();
      ((sum += w::second(R - K) * (u.template at<R - K>() + u.template at<K - R>())), ...);
      return sum;
    }
    (std::make_integer_sequence<int, R>{});
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
