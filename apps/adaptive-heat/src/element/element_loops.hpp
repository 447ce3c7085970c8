// SPDX-License-Identifier: BSD-3-Clause
// What kernels do to one block: operators along lines, and values taken from and given to mortars. W lanes at a time.
#pragma once

#include <cstring>

#include <element/blocks.hpp>
#include <element/heat_profile.hpp>
#include <element/kernels.hpp>

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
struct line_constants {
  double derivative[points][points];
  double stiffness[points][points];  ///< K_ij / w_i
  double weight[volume];             ///< w_i w_j w_k
  double place[points];              ///< (zeta + 1) / 2
  double profile[profile_terms];

  line_constants() {
    const operators& o = ops();
    for (int i = 0; i < points; ++i) {
      place[i] = (o.zeta[i] + 1) / 2;
      for (int j = 0; j < points; ++j) {
        derivative[i][j] = o.derivative[i][j];
        stiffness[i][j] = o.stiffness[i][j] / o.weight[i];
      }
    }
    for (int n = 0; n < volume; ++n) weight[n] = o.weight[n % 5] * o.weight[n / 5 % 5] * o.weight[n / 25];
    std::memcpy(profile, profile_coefficients().data(), sizeof profile);
  }
};
inline const line_constants& constants() {
  static const line_constants made;
  return made;
}

/// out = (first ? 0 : out) + matrix along one axis of u. Lines begin at the 25 points with coordinate 0 on that axis.
template <int W, int Stride, bool IsFirst>
inline void along(const double (&matrix)[points][points], const vec<W>* u, vec<W>* out) {
  constexpr int inner = Stride == 1 ? 5 : 1, outer = Stride == 25 ? 5 : 25;  // of the two other axes
  for (int b = 0; b < points; ++b)
    for (int a = 0; a < points; ++a) {
      const int first = a * inner + b * outer;
      const vec<W> u0 = u[first], u1 = u[first + Stride], u2 = u[first + 2 * Stride], u3 = u[first + 3 * Stride],
                   u4 = u[first + 4 * Stride];
#pragma GCC unroll 5
      for (int i = 0; i < points; ++i) {
        const double(&m)[points] = matrix[i];
        const vec<W> sum = m[0] * u0 + m[1] * u1 + m[2] * u2 + m[3] * u3 + m[4] * u4;
        out[first + i * Stride] = IsFirst ? sum : out[first + i * Stride] + sum;
      }
    }
}

template <int W>
inline void along_all(const double (&matrix)[points][points], const vec<W>* u, vec<W>* out) {
  along<W, 1, true>(matrix, u, out);
  along<W, 5, false>(matrix, u, out);
  along<W, 25, false>(matrix, u, out);
}

// ---- between mortar vectors and the boundary of W elements ----

template <int W>
inline void take(const block_map& map, int lane, const double* mortar, vec<W>* u) {
  double* const to = reinterpret_cast<double*>(u);
  for (int e = 0; e < entities; ++e) {
    const int n = entity_points(e);
    const int* const where = &boundary_volume[static_cast<std::size_t>(entity_offset(e))];
    for (int l = 0; l < W; ++l) {
      const double* const from = mortar + map.of[e][lane + l];
      for (int q = 0; q < n; ++q) to[where[q] * W + l] = from[q];
    }
  }
}

template <int W>
inline void give(const block_map& map, int lane, const vec<W>* u, double* mortar) {
  const double* const from = reinterpret_cast<const double*>(u);
  for (int e = 0; e < entities; ++e) {
    const int n = entity_points(e);
    const int* const where = &boundary_volume[static_cast<std::size_t>(entity_offset(e))];
    for (int l = 0; l < W; ++l) {
      double* const to = mortar + map.of[e][lane + l];
      for (int q = 0; q < n; ++q) to[q] += from[where[q] * W + l];
    }
  }
}

/// To the mortars, or to the list of contributions where there is one.
template <int W>
inline void give_or_leave(const block_fields& f, index block, int lane, const vec<W>* u, double* mortar) {
  if (f.contributions == nullptr) return give<W>(f.map[block], lane, u, mortar);
  double* const to = f.contributions + block * boundary_points * lanes + lane;
  for (int n = 0; n < boundary_points; ++n) store<W>(to + n * lanes, u[boundary_volume[static_cast<std::size_t>(n)]]);
}

template <int W>
inline void weigh(const block_weights& weights, int lane, vec<W>* u) {
  for (int e = 0; e < entities; ++e) {
    const vec<W> factor = load<W>(&weights.of[e][lane]);
    for (int q = 0; q < entity_points(e); ++q)
      u[boundary_volume[static_cast<std::size_t>(entity_offset(e) + q)]] *= factor;
  }
}

// ---- the element matrix ----

/// out = A u. `u` is not needed afterwards by the caller's copy: both are of W lanes, without gaps.
template <int W>
inline void element_matrix(const block_shape& shape, int lane, const vec<W>* u, vec<W>* out) {
  const line_constants& c = constants();
  along_all<W>(c.stiffness, u, out);
  const vec<W> a = load<W>(&shape.stiffness[lane]), b = load<W>(&shape.mass[lane]);
  for (int n = 0; n < volume; ++n) out[n] = c.weight[n] * (a * out[n] + b * u[n]);
}

}  // namespace
}  // namespace adaptive_heat
