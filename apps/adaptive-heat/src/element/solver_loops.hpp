// SPDX-License-Identifier: BSD-3-Clause
// The table of kernels for elements of order N, W SIMD lanes at a time.
#pragma once

#include <element/convection_loops.hpp>
#include <limits>

namespace adaptive_heat {
namespace {

template <int W, int N>
struct loops {
  static constexpr point_counts counts{N};
  static constexpr int volume = counts.volume(), interior_points = counts.interior();
  template <class Act>
  static void for_simd_lanes(index_t first, index_t last, Act&& act) {
    for (index_t block = first; block < last; ++block)
      for (int simd_lane = 0; simd_lane < simd_lanes; simd_lane += W) act(block, simd_lane);
  }
  static double* interior(double* field, index_t block, int simd_lane) {
    return field + block * interior_points * simd_lanes + simd_lane;
  }
  static double* volume_at(const block_fields& f, index_t block, int simd_lane) {
    return f.u + block * counts.stored() * simd_lanes + simd_lane;
  }
  static double* lodged(double* field, lodger vector, int point) {
    return field + place_of<N>(vector, point) * simd_lanes;
  }
  /// Of a block, for inverse().
  static const double* inverse_diagonals(const block_fields& f, index_t block, int simd_lane) {
    return f.inverse_diagonal + block * point_lists<N>::kinds * simd_lanes + simd_lane;
  }
  static vec<W> inverse(const double* diagonals, int point) {
    return load<W>(diagonals + point_lists<N>::interior_kind[static_cast<std::size_t>(point)] * simd_lanes);
  }
  static std::size_t volume_of(int point) {
    return static_cast<std::size_t>(point_lists<N>::interior[static_cast<std::size_t>(point)]);
  }

  static void convect(const convection& c, index_t first, index_t last) {
    for_simd_lanes(first, last, [&](index_t block, int simd_lane) { convect_simd_lanes<W, N>(c, block, simd_lane); });
  }

  /// u* is what the convection left. Inside b - A u is - stiffness u, for the mass terms cancel; on the boundary the
  /// mass acts on the difference between u* and the mortars.
  static void residual(const block_fields& f, const double* mortar, double* residual, index_t first, index_t last) {
    const line_constants<N>& c = constants<N>();
    for_simd_lanes(first, last, [&](index_t block, int simd_lane) {
      const block_shape& shape = f.shape[block];
      const double* const field = volume_at(f, block, simd_lane);
      vec<W> u[volume], out[volume], left[volume];
      for (int n = 0; n < volume; ++n) left[n] = u[n] = load<W>(field + n * simd_lanes);
      take<W, N>(f.map[block], simd_lane, mortar, u);
      const vec<W> a = load<W>(&shape.stiffness[simd_lane]), b = load<W>(&shape.mass[simd_lane]);
      along_all<W, N, 1>(c.stiffness, u, out, [&](vec<W> value, vec<W> sum, int n) {
        return c.weight[n] * (b * (left[n] - value) - a * sum);
      });
      double* const r = interior(f.r, block, simd_lane);
      for (int n = 0; n < interior_points; ++n) store<W>(r + n * simd_lanes, out[volume_of(n)]);
      give_or_leave<W, N>(f, block, simd_lane, out, residual);
    });
  }

  /// What the last iteration decided, for the interior of a block.
  template <bool HasOld>
  static void update(const block_fields& f, const cg_step& c, index_t block, int simd_lane) {
    double* const r = interior(f.r, block, simd_lane);
    double* const field = volume_at(f, block, simd_lane);
    const double* const diagonals = inverse_diagonals(f, block, simd_lane);
    for (int n = 0; n < interior_points; ++n) {
      double *const p = lodged(field, lodger::p, n), *const s = lodged(field, lodger::s, n);
      vec<W> direction = load<W>(r + n * simd_lanes) * inverse(diagonals, n);
      vec<W> image = load<W>(lodged(field, lodger::q, n));
      if constexpr (HasOld) {
        direction += c.beta * load<W>(p);
        image += c.beta * load<W>(s);
      }
      store<W>(p, direction);
      store<W>(s, image);
      double* const at = field + volume_of(n) * simd_lanes;
      store<W>(at, load<W>(at) + c.step * direction);
      store<W>(r + n * simd_lanes, load<W>(r + n * simd_lanes) - c.step * image);
    }
  }

  static void iterate(const block_fields& f, const cg_step& step, const double* mortar, double* product, index_t first,
                      index_t last, cg_sums* sums) {
    const line_constants<N>& c = constants<N>();
    for (index_t block = first; block < last; ++block) {
      const block_shape& shape = f.shape[block];
      cg_sums sum;
      for (int simd_lane = 0; simd_lane < simd_lanes; simd_lane += W) {
        if (step.updates > 0)
          step.updates > 1 ? update<true>(f, step, block, simd_lane) : update<false>(f, step, block, simd_lane);
        const double* const r = interior(f.r, block, simd_lane);
        double* const field = volume_at(f, block, simd_lane);
        const double* const diagonals = inverse_diagonals(f, block, simd_lane);
        vec<W> u[volume], out[volume], squares{}, products{};
        take<W, N>(f.map[block], simd_lane, mortar, u);
        for (int n = 0; n < interior_points; ++n) {
          const vec<W> v = load<W>(r + n * simd_lanes), z = v * inverse(diagonals, n);
          squares += v * z;
          u[volume_of(n)] = z;
        }
        const vec<W> a = load<W>(&shape.stiffness[simd_lane]), b = load<W>(&shape.mass[simd_lane]);
        along_all<W, N, 1>(c.stiffness, u, out, [&](vec<W> value, vec<W> axes, int n) {
          const vec<W> result = c.weight[n] * (a * axes + b * value);
          products += value * result;
          return result;
        });
        for (int n = 0; n < interior_points; ++n) store<W>(lodged(field, lodger::q, n), out[volume_of(n)]);
        give_or_leave<W, N>(f, block, simd_lane, out, product);
        sum.square += sum_of<W>(squares), sum.curvature += sum_of<W>(products);
      }
      sums[block] = sum;
    }
  }

  static void add_solution(const block_fields& f, const cg_step& step, const double* mortar, index_t first,
                           index_t last) {
    for_simd_lanes(first, last, [&](index_t block, int simd_lane) {
      double* const field = volume_at(f, block, simd_lane);
      const double* const r = interior(f.r, block, simd_lane);
      const double* const diagonals = inverse_diagonals(f, block, simd_lane);
      vec<W> u[volume];
      take<W, N>(f.map[block], simd_lane, mortar, u);
      for (int n = 0; n < interior_points; ++n) {
        vec<W>& v = u[volume_of(n)];
        v = load<W>(r + n * simd_lanes) * inverse(diagonals, n);
        if (step.updates > 1) v += step.beta * load<W>(lodged(field, lodger::p, n));
        v = load<W>(field + volume_of(n) * simd_lanes) + step.step * v;
      }
      for (int n = 0; n < volume; ++n) store<W>(field + n * simd_lanes, u[n]);
    });
  }

  static void operate(const double* u, double* stiffness, double* mass) {
    for (int simd_lane = 0; simd_lane < simd_lanes; simd_lane += W) {
      vec<W> in[volume], out[volume];
      for (int n = 0; n < volume; ++n) in[n] = load<W>(u + n * simd_lanes + simd_lane);
      const line_constants<N>& c = constants<N>();
      along_all<W, N, 1>(c.stiffness, in, out, [&](vec<W> value, vec<W> sum, int n) {
        store<W>(mass + n * simd_lanes + simd_lane, c.weight[n] * value);
        return c.weight[n] * sum;
      });
      for (int n = 0; n < volume; ++n) store<W>(stiffness + n * simd_lanes + simd_lane, out[n]);
    }
  }
};

// ---- vectors of mortar points: whole vectors of W, so that every value is computed by the same instructions ----

template <int W, class Act>
inline void for_vectors(index_t first, index_t last, Act&& act) {
  for (index_t i = first; i < last; i += W) act(i);
}

template <int W>
struct mortar_loops {
  template <bool HasOld>
  static void update(const cg_mortars& m, const cg_step& c, index_t i) {
    const vec<W> z = load<W>(m.z + i);
    vec<W> direction = z, image = load<W>(m.q + i);
    if constexpr (HasOld) {
      direction += c.beta * load<W>(m.p + i);
      image += c.beta * load<W>(m.s + i);
    }
    store<W>(m.p + i, direction);
    store<W>(m.s + i, image);
    store<W>(m.x + i, load<W>(m.x + i) + c.step * direction);
    store<W>(m.z + i, z - c.step * load<W>(m.inverse_diagonal + i) * image);
  }

  /// z z / M, where M is zero no z is another number.
  static vec<W> square_of(const cg_mortars& m, index_t i) {
    constexpr double least = std::numeric_limits<double>::min();
    const vec<W> z = load<W>(m.z + i);
    return z * z / (load<W>(m.inverse_diagonal + i) + least);
  }

  template <class Update>
  static double iterate_with(const cg_mortars& m, index_t first, index_t last, Update&& update) {
    vec<W> squares{};
    double rest = 0;
    for_vectors<W>(first, last, [&](index_t i) {
      update(i);
      store<W>(m.q + i, vec<W>{});
      const vec<W> square = square_of(m, i);
      if (i + W <= m.own)
        squares += square;
      else
        for (index_t k = i; k < m.own; ++k) rest += square[k - i];
    });
    return sum_of<W>(squares) + rest;
  }

  static double iterate(const cg_mortars& m, const cg_step& c, index_t first, index_t last) {
    if (c.updates == 0)
      return iterate_with(m, first, last,
                          [&](index_t i) { store<W>(m.z + i, load<W>(m.z + i) * load<W>(m.inverse_diagonal + i)); });
    if (c.updates == 1) return iterate_with(m, first, last, [&](index_t i) { update<false>(m, c, i); });
    return iterate_with(m, first, last, [&](index_t i) { update<true>(m, c, i); });
  }
};

template <int W, int N>
constexpr kernel_table table_of(std::string_view name) {
  using of = loops<W, N>;
  return {name, of::convect, of::residual, of::iterate, of::add_solution, of::operate, mortar_loops<W>::iterate};
}

}  // namespace
}  // namespace adaptive_heat
