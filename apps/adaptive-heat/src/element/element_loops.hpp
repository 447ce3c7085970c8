// SPDX-License-Identifier: BSD-3-Clause
// What kernels do to one block: operators along lines, and values taken from and given to mortars. W lanes at a time.
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

/// A matrix along a line that is its own mirror image, up to the sign: m[4 - i][4 - j] = Sign m[i][j]. So thirteen numbers are enough,
/// and stay in registers over many lines.
template <int W, int Sign>
struct mirrored_matrix {
  vec<W> row0[points], row1[points], row2[3];

  explicit mirrored_matrix(const double (&m)[points][points], double factor = 1) {
    for (int j = 0; j < points; ++j) row0[j] = vec<W>{} + factor * m[0][j], row1[j] = vec<W>{} + factor * m[1][j];
    for (int j = 0; j < 3; ++j) row2[j] = vec<W>{} + factor * m[2][j];
  }
};

/// Lines along one axis of a cube of points begin at the 25 points with coordinate 0 on that axis; `use(first, u, product)` gets the five
/// values of each line and the matrix's product with them.
template <int W, int Stride, int Sign, class Use>
inline void for_lines(const mirrored_matrix<W, Sign>& m, const vec<W>* field, Use&& use) {
  constexpr int inner = Stride == 1 ? 5 : 1, outer = Stride == 25 ? 5 : 25;  // strides of the two other axes
  for (int b = 0; b < points; ++b)
    for (int a = 0; a < points; ++a) {
      const int first = a * inner + b * outer;
      const vec<W>* const at = field + first;
      const vec<W> u[points] = {at[0], at[Stride], at[2 * Stride], at[3 * Stride], at[4 * Stride]};
      const auto mirrored = [](vec<W> v) { return Sign > 0 ? v : -v; };
      const vec<W> product[points] = {
          m.row0[0] * u[0] + m.row0[1] * u[1] + m.row0[2] * u[2] + m.row0[3] * u[3] + m.row0[4] * u[4],
          m.row1[0] * u[0] + m.row1[1] * u[1] + m.row1[2] * u[2] + m.row1[3] * u[3] + m.row1[4] * u[4],
          Sign > 0 ? m.row2[0] * (u[0] + u[4]) + m.row2[1] * (u[1] + u[3]) + m.row2[2] * u[2]
                   : m.row2[0] * (u[0] - u[4]) + m.row2[1] * (u[1] - u[3]),
          mirrored(m.row1[4] * u[0] + m.row1[3] * u[1] + m.row1[2] * u[2] + m.row1[1] * u[3] + m.row1[0] * u[4]),
          mirrored(m.row0[4] * u[0] + m.row0[3] * u[1] + m.row0[2] * u[2] + m.row0[1] * u[3] + m.row0[0] * u[4])};
      use(first, u, product);
    }
}

/// out = sum over the axes of a matrix along each; `finish(u, sum, point)` makes values of the sums.
template <int W, int Sign, class Finish>
inline void along_axes(const mirrored_matrix<W, Sign>& x, const mirrored_matrix<W, Sign>& y,
                       const mirrored_matrix<W, Sign>& z, const vec<W>* u, vec<W>* out, Finish&& finish) {
  for_lines<W, 1, Sign>(x, u, [&](int first, const vec<W>*, const vec<W>* product) {
    for (int i = 0; i < points; ++i) out[first + i] = product[i];
  });
  for_lines<W, 5, Sign>(y, u, [&](int first, const vec<W>*, const vec<W>* product) {
    for (int i = 0; i < points; ++i) out[first + 5 * i] += product[i];
  });
  for_lines<W, 25, Sign>(z, u, [&](int first, const vec<W>* values, const vec<W>* product) {
    for (int i = 0; i < points; ++i)
      out[first + 25 * i] = finish(values[i], out[first + 25 * i] + product[i], first + 25 * i);
  });
}

/// The same matrix along all axes.
template <int W, int Sign, class Finish>
inline void along_all(const double (&matrix)[points][points], const vec<W>* u, vec<W>* out, Finish&& finish) {
  const mirrored_matrix<W, Sign> m(matrix);
  along_axes<W, Sign>(m, m, m, u, out, finish);
}

// ---- between mortar vectors and the boundary of W elements ----

/// Calls act(entity, its number of points, its points) for all 26, with constants: what it does becomes straight code.
template <class Act, std::size_t... E>
inline void for_entities_unrolled(Act&& act, std::index_sequence<E...>) {
  (act(std::integral_constant<std::size_t, E>{}), ...);
}
template <class Act>
inline void for_entities(Act&& act) {
  for_entities_unrolled(act, std::make_index_sequence<entities>{});
}

template <int W>
inline void take(const block_map& map, int lane, const double* mortar, vec<W>* u) {
  for (int l = 0; l < W; ++l) {
    double* const to = reinterpret_cast<double*>(u) + l;
    for_entities([&](auto e) __attribute__((always_inline)) {
      constexpr std::size_t offset = entity_offset(e), count = entity_points(e);
      const double* const from = mortar + map.of[e][lane + l];
#pragma GCC unroll 9
      for (std::size_t q = 0; q < count; ++q) to[boundary_volume[offset + q] * W] = from[q];
    });
  }
}

template <int W>
inline void give(const block_map& map, int lane, const vec<W>* u, double* mortar) {
  for (int l = 0; l < W; ++l) {
    const double* const from = reinterpret_cast<const double*>(u) + l;
    for_entities([&](auto e) __attribute__((always_inline)) {
      constexpr std::size_t offset = entity_offset(e), count = entity_points(e);
      double* const to = mortar + map.of[e][lane + l];
#pragma GCC unroll 9
      for (std::size_t q = 0; q < count; ++q) to[q] += from[boundary_volume[offset + q] * W];
    });
  }
}

/// To the mortars, or to the list of contributions where there is one.
template <int W>
inline void give_or_leave(const block_fields& f, index block, int lane, const vec<W>* u, double* mortar) {
  if (f.contributions == nullptr) return give<W>(f.map_to_give(block), lane, u, mortar);
  double* const to = f.contributions + block * boundary_points * lanes + lane;
  for (int n = 0; n < boundary_points; ++n) store<W>(to + n * lanes, u[boundary_volume[static_cast<std::size_t>(n)]]);
}

template <int W>
inline void weigh(const block_weights& weights, int lane, vec<W>* u) {
  for (int e = 0; e < entities; ++e) {
    vec<W> factor;
    for (int l = 0; l < W; ++l) factor[l] = weights.of[e][lane + l];
    factor /= weight_unit;
    for (int q = 0; q < entity_points(e); ++q)
      u[boundary_volume[static_cast<std::size_t>(entity_offset(e) + q)]] *= factor;
  }
}

}  // namespace
}  // namespace adaptive_heat
