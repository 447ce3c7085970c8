// SPDX-License-Identifier: BSD-3-Clause
// What kernels do to one block: operators along lines, and values taken from and given to mortars. W SIMD lanes at a
// time.
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

#include <element/blocks.hpp>
#include <element/heat_profile.hpp>
#include <element/kernels.hpp>
#include <element/operators.hpp>

// Included by one file per variant, each in a namespace without a name: the variants must not share instances.
namespace adaptive_heat {
namespace {

template <int W>
struct vector_of {
  typedef double type __attribute__((vector_size(W * sizeof(double)), aligned(W * sizeof(double))));
};
template <int W>
using vec = typename vector_of<W>::type;

template <int W>
inline vec<W> load(const double* from) {
  return *reinterpret_cast<const vec<W>*>(from);
}
template <int W>
inline void store(double* to, vec<W> v) {
  *reinterpret_cast<vec<W>*>(to) = v;
}
template <int W>
inline double sum_of(vec<W> v) {
  double sum = 0;
  for (int l = 0; l < W; ++l) sum += v[l];
  return sum;
}

/// What the operators along a line are made of, with the quadrature's weights divided out.
template <int N>
struct line_constants {
  static constexpr point_counts counts{N};
  static constexpr int points = N + 1, volume = counts.volume();
  double derivative[points][points];
  double stiffness[points][points];  ///< K_ij / w_i
  double weight[volume];             ///< w_i w_j w_k
  double place[points];              ///< (zeta + 1) / 2
  double profile[profile_terms];

  line_constants() {
    const operators& o = ops(N);
    for (std::size_t i = 0; i < points; ++i) {
      place[i] = (o.zeta[i] + 1) / 2;
      for (int j = 0; j < points; ++j) {
        derivative[i][j] = o.derivative[i][j];
        stiffness[i][j] = o.stiffness[i][j] / o.weight[i];
      }
    }
    for (int n = 0; n < volume; ++n) {
      const auto w = o.weights_at(n);
      weight[n] = w[0] * w[1] * w[2];
    }
    std::memcpy(profile, profile_coefficients().data(), sizeof profile);
  }
};
template <int N>
inline const line_constants<N>& constants() {
  static const line_constants<N> made;
  return made;
}

/// Calls act(0), … act(Count - 1) with constants: what it does becomes straight code.
template <class Act, std::size_t... I>
__attribute__((always_inline)) inline void unrolled(Act&& act, std::index_sequence<I...>) {
  (act(std::integral_constant<std::size_t, I>{}), ...);
}
template <std::size_t Count, class Act>
__attribute__((always_inline)) inline void for_constants(Act&& act) {
  unrolled(act, std::make_index_sequence<Count>{});
}

/// A matrix along a line that is its own mirror image, up to the sign: m[N - i][N - j] = Sign m[i][j]. So half of the
/// numbers are enough: with order 4 these stay in registers over many lines.
template <int W, int N, int Sign>
struct mirrored_matrix {
  static constexpr std::size_t points = N + 1, half = points / 2;  ///< of the points those before the middle one
  static constexpr bool has_middle = N % 2 == 0;
  vec<W> row[half][points], middle[half + 1];

  explicit mirrored_matrix(const double (&m)[points][points], double factor = 1) {
    for (std::size_t i = 0; i < half; ++i)
      for (std::size_t j = 0; j < points; ++j) row[i][j] = vec<W>{} + factor * m[i][j];
    if constexpr (has_middle)
      for (std::size_t j = 0; j <= half; ++j) middle[j] = vec<W>{} + factor * m[half][j];
  }

  template <std::size_t... J>
  __attribute__((always_inline)) static vec<W> along(const vec<W>* row, const vec<W>* u, std::index_sequence<J...>) {
    return (... + (row[J] * u[J]));
  }
  template <std::size_t... J>
  __attribute__((always_inline)) static vec<W> mirrored(const vec<W>* row, const vec<W>* u, std::index_sequence<J...>) {
    const vec<W> v = (... + (row[N - J] * u[J]));
    return Sign > 0 ? v : -v;
  }
  template <std::size_t... J>
  __attribute__((always_inline)) vec<W> in_the_middle(const vec<W>* u, std::index_sequence<J...>) const {
    if constexpr (Sign > 0)
      return (... + (middle[J] * (u[J] + u[N - J]))) + middle[half] * u[half];
    else
      return (... + (middle[J] * (u[J] - u[N - J])));
  }

  __attribute__((always_inline)) void times(const vec<W>* u, vec<W>* product) const {
    constexpr auto all = std::make_index_sequence<points>{};
    for_constants<half>([&](auto i) __attribute__((always_inline)) {
      product[i] = along(row[i], u, all);
      product[N - i] = mirrored(row[i], u, all);
    });
    if constexpr (has_middle) product[half] = in_the_middle(u, std::make_index_sequence<half>{});
  }
};

/// Lines along one axis of a cube of points begin at the points with coordinate 0 on that axis; `use(first, u,
/// product)` gets the values of each line and the matrix's product with them.
template <int W, int N, int Stride, int Sign, class Use>
inline void for_lines(const mirrored_matrix<W, N, Sign>& m, const vec<W>* field, Use&& use) {
  constexpr int points = N + 1, plane = points * points;
  constexpr int inner = Stride == 1 ? points : 1, outer = Stride == plane ? points : plane;  // of the two other axes
  for (int b = 0; b < points; ++b)
    for (int a = 0; a < points; ++a) {
      const int first = a * inner + b * outer;
      vec<W> u[points], product[points];
      for_constants<points>([&](auto i)
                                __attribute__((always_inline)) { u[i] = field[first + static_cast<int>(i) * Stride]; });
      m.times(u, product);
      use(first, u, product);
    }
}

/// out = sum over the axes of a matrix along each; `finish(u, sum, point)` makes values of the sums.
template <int W, int N, int Sign, class Finish>
inline void along_axes(const mirrored_matrix<W, N, Sign>& x, const mirrored_matrix<W, N, Sign>& y,
                       const mirrored_matrix<W, N, Sign>& z, const vec<W>* u, vec<W>* out, Finish&& finish) {
  constexpr int points = N + 1, plane = points * points;
  for_lines<W, N, 1, Sign>(x, u, [&](int first, const vec<W>*, const vec<W>* product) {
    for (int i = 0; i < points; ++i) out[first + i] = product[i];
  });
  for_lines<W, N, points, Sign>(y, u, [&](int first, const vec<W>*, const vec<W>* product) {
    for (int i = 0; i < points; ++i) out[first + points * i] += product[i];
  });
  for_lines<W, N, plane, Sign>(z, u, [&](int first, const vec<W>* values, const vec<W>* product) {
    for (int i = 0; i < points; ++i)
      out[first + plane * i] = finish(values[i], out[first + plane * i] + product[i], first + plane * i);
  });
}

/// The same matrix along all axes.
template <int W, int N, int Sign, class Finish>
inline void along_all(const double (&matrix)[N + 1][N + 1], const vec<W>* u, vec<W>* out, Finish&& finish) {
  const mirrored_matrix<W, N, Sign> m(matrix);
  along_axes<W, N, Sign>(m, m, m, u, out, finish);
}

// ---- between mortar vectors and the boundary of W elements ----

template <int W, int N>
inline void take(const block_map& map, int simd_lane, const double* mortar, vec<W>* u) {
  constexpr point_counts counts{N};
  for (int l = 0; l < W; ++l) {
    double* const to = reinterpret_cast<double*>(u) + l;
    for_constants<entities>([&](auto e) __attribute__((always_inline)) {
      constexpr std::size_t offset = counts.offset(e), count = counts.of_entity(e);
      const double* const from = mortar + map.of[e][simd_lane + l];
#pragma GCC unroll 9
      for (std::size_t q = 0; q < count; ++q) to[point_lists<N>::boundary[offset + q] * W] = from[q];
    });
  }
}

template <int W, int N>
inline void give(const block_map& map, int simd_lane, const vec<W>* u, double* mortar) {
  constexpr point_counts counts{N};
  for (int l = 0; l < W; ++l) {
    const double* const from = reinterpret_cast<const double*>(u) + l;
    for_constants<entities>([&](auto e) __attribute__((always_inline)) {
      constexpr std::size_t offset = counts.offset(e), count = counts.of_entity(e);
      double* const to = mortar + map.of[e][simd_lane + l];
#pragma GCC unroll 9
      for (std::size_t q = 0; q < count; ++q) to[q] += from[point_lists<N>::boundary[offset + q] * W];
    });
  }
}

/// To the mortars, or to the list of contributions where there is one.
template <int W, int N>
inline void give_or_leave(const block_fields& f, index_t block, int simd_lane, const vec<W>* u, double* mortar) {
  if (f.contributions == nullptr) return give<W, N>(f.map_to_give(block), simd_lane, u, mortar);
  constexpr int boundary_points = point_counts{N}.boundary();
  double* const to = f.contributions + block * boundary_points * simd_lanes + simd_lane;
  for (int n = 0; n < boundary_points; ++n)
    store<W>(to + n * simd_lanes, u[point_lists<N>::boundary[static_cast<std::size_t>(n)]]);
}

template <int W, int N>
inline void weigh(const block_weights& weights, int simd_lane, vec<W>* u) {
  constexpr point_counts counts{N};
  for (int e = 0; e < entities; ++e) {
    vec<W> factor;
    for (int l = 0; l < W; ++l) factor[l] = weights.of[e][simd_lane + l];
    factor /= weight_unit;
    for (int q = 0; q < counts.of_entity(e); ++q)
      u[point_lists<N>::boundary[static_cast<std::size_t>(counts.offset(e) + q)]] *= factor;
  }
}

}  // namespace
}  // namespace adaptive_heat
