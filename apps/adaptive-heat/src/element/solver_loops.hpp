// SPDX-License-Identifier: BSD-3-Clause
// The table of kernels for W lanes at a time.
#pragma once

#include <element/convection_loops.hpp>

namespace adaptive_heat {
namespace {

template <int W>
struct loops {
  template <class Act>
  static void for_lanes(index first, index last, Act&& act) {
    for (index block = first; block < last; ++block)
      for (int lane = 0; lane < lanes; lane += W) act(block, lane);
  }
  static double* interior(double* field, index block, int lane) {
    return field + block * interior_points * lanes + lane;
  }
  static vec<W> inverse_diagonal(const block_shape& shape, int point, int lane) {
    return load<W>(&shape.inverse_diagonal[interior_kind[static_cast<std::size_t>(point)]][lane]);
  }
  static std::size_t volume_of(int point) {
    return static_cast<std::size_t>(interior_volume[static_cast<std::size_t>(point)]);
  }

  static void convect(const convection& c, index first, index last) {
    for_lanes(first, last, [&](index block, int lane) { convect_lanes<W>(c, block, lane); });
  }

  /// u* is what the convection left. Inside b - A u is - stiffness u, for the mass terms cancel; on the boundary the mass acts on
  /// the difference between u* and the mortars.
  static double residual(const block_fields& f, const double* mortar, double* residual, index first, index last) {
    const line_constants& c = constants();
    vec<W> squares{};
    for_lanes(first, last, [&](index block, int lane) {
      const block_shape& shape = f.shape[block];
      double* const field = f.u + block * volume * lanes + lane;
      vec<W> u[volume], out[volume], left[volume];
      for (int n = 0; n < volume; ++n) left[n] = u[n] = load<W>(field + n * lanes);
      take<W>(f.map[block], lane, mortar, u);
      const vec<W> a = load<W>(&shape.stiffness[lane]), b = load<W>(&shape.mass[lane]);
      along_all<W, 1>(c.stiffness, u, out,
                      [&](vec<W> value, vec<W> sum, int n) { return c.weight[n] * (b * (left[n] - value) - a * sum); });
      for (int n : boundary_volume) store<W>(field + n * lanes, u[n]);
      double* const r = interior(f.r, block, lane);
      for (int n = 0; n < interior_points; ++n) {
        const vec<W> v = out[volume_of(n)];
        store<W>(r + n * lanes, v);
        squares += v * v * inverse_diagonal(shape, n, lane);
      }
      give_or_leave<W>(f, block, lane, out, residual);
    });
    return sum_of<W>(squares);
  }

  static double apply(const block_fields& f, double beta, const double* mortar, double* product, index first,
                      index last) {
    const line_constants& c = constants();
    vec<W> products{};
    for_lanes(first, last, [&](index block, int lane) {
      const block_shape& shape = f.shape[block];
      double* const p = interior(f.p, block, lane);
      double* const r = interior(f.r, block, lane);
      double* const q = interior(f.q, block, lane);
      vec<W> u[volume], out[volume];
      take<W>(f.map[block], lane, mortar, u);
      for (int n = 0; n < interior_points; ++n) {
        vec<W> v = load<W>(r + n * lanes) * inverse_diagonal(shape, n, lane);
        if (beta != 0) v += beta * load<W>(p + n * lanes);
        store<W>(p + n * lanes, v);
        u[volume_of(n)] = v;
      }
      const vec<W> a = load<W>(&shape.stiffness[lane]), b = load<W>(&shape.mass[lane]);
      along_all<W, 1>(c.stiffness, u, out, [&](vec<W> value, vec<W> sum, int n) {
        const vec<W> result = c.weight[n] * (a * sum + b * value);
        products += value * result;
        return result;
      });
      for (int n = 0; n < interior_points; ++n) store<W>(q + n * lanes, out[volume_of(n)]);
      give_or_leave<W>(f, block, lane, out, product);
    });
    return sum_of<W>(products);
  }

  static double advance(const block_fields& f, double step, bool is_first, index first, index last) {
    vec<W> squares{};
    for_lanes(first, last, [&](index block, int lane) {
      double* const x = interior(f.x, block, lane);
      double* const r = interior(f.r, block, lane);
      const double* const p = interior(f.p, block, lane);
      const double* const q = interior(f.q, block, lane);
      for (int n = 0; n < interior_points; ++n) {
        const vec<W> more = step * load<W>(p + n * lanes), v = load<W>(r + n * lanes) - step * load<W>(q + n * lanes);
        store<W>(x + n * lanes, is_first ? more : load<W>(x + n * lanes) + more);
        store<W>(r + n * lanes, v);
        squares += v * v * inverse_diagonal(f.shape[block], n, lane);
      }
    });
    return sum_of<W>(squares);
  }

  static void add_solution(const block_fields& f, const double* mortar, index first, index last) {
    for_lanes(first, last, [&](index block, int lane) {
      double* const field = f.u + block * volume * lanes + lane;
      const double* const x = interior(f.x, block, lane);
      vec<W> u[volume];
      take<W>(f.map[block], lane, mortar, u);
      for (int n : boundary_volume) store<W>(field + n * lanes, u[n]);
      for (int n = 0; n < interior_points; ++n) {
        double* const at = field + volume_of(n) * lanes;
        store<W>(at, load<W>(at) + load<W>(x + n * lanes));
      }
    });
  }

  static void operate(const double* u, double* stiffness, double* mass) {
    for (int lane = 0; lane < lanes; lane += W) {
      vec<W> in[volume], out[volume];
      for (int n = 0; n < volume; ++n) in[n] = load<W>(u + n * lanes + lane);
      const line_constants& c = constants();
      along_all<W, 1>(c.stiffness, in, out, [&](vec<W> value, vec<W> sum, int n) {
        store<W>(mass + n * lanes + lane, c.weight[n] * value);
        return c.weight[n] * sum;
      });
      for (int n = 0; n < volume; ++n) store<W>(stiffness + n * lanes + lane, out[n]);
    }
  }
};

// ---- vectors of mortar points: whole vectors of W, so that every value is computed by the same instructions ----

template <int W, class Act>
inline void for_vectors(index count, Act&& act) {
  for (index i = 0; i < count; i += W) act(i);
}

/// Sum of term(i) for vectors, of scalar_term(i) for the last few.
template <int W, class Term, class ScalarTerm>
inline double sum_terms(index count, Term&& term, ScalarTerm&& scalar_term) {
  vec<W> sums{};
  index i = 0;
  for (; i + W <= count; i += W) sums += term(i);
  double sum = sum_of<W>(sums);
  for (; i < count; ++i) sum += scalar_term(i);
  return sum;
}

template <int W>
struct mortar_loops {
  static double weighted_square(const double* r, const double* inverse_diagonal, index count) {
    return sum_terms<W>(
        count, [&](index i) { return load<W>(r + i) * load<W>(r + i) * load<W>(inverse_diagonal + i); },
        [&](index i) { return r[i] * r[i] * inverse_diagonal[i]; });
  }
  static double advance(double* x, double* r, const double* p, double* q, const double* inverse_diagonal, double step,
                        bool is_first, index own, index count) {
    vec<W> squares{};
    double rest = 0;
    for_vectors<W>(count, [&](index i) {
      const vec<W> more = step * load<W>(p + i), left = load<W>(r + i) - step * load<W>(q + i);
      store<W>(x + i, is_first ? more : load<W>(x + i) + more);
      store<W>(r + i, left);
      store<W>(q + i, vec<W>{});
      const vec<W> square = left * left * load<W>(inverse_diagonal + i);
      if (i + W <= own)
        squares += square;
      else
        for (index k = i; k < own; ++k) rest += square[k - i];
    });
    return sum_of<W>(squares) + rest;
  }
  static void direct(double* p, const double* r, const double* inverse_diagonal, double beta, index count) {
    for_vectors<W>(count, [&](index i) {
      vec<W> v = load<W>(r + i) * load<W>(inverse_diagonal + i);
      if (beta != 0) v += beta * load<W>(p + i);
      store<W>(p + i, v);
    });
  }
  static void add(double* to, const double* values, index count) {
    for_vectors<W>(count, [&](index i) { store<W>(to + i, load<W>(to + i) + load<W>(values + i)); });
  }
  static void scale(double* values, const double* factors, index count) {
    for_vectors<W>(count, [&](index i) { store<W>(values + i, load<W>(values + i) * load<W>(factors + i)); });
  }
};

template <int W>
constexpr kernel_table table_of(std::string_view name) {
  return {name,
          loops<W>::convect,
          loops<W>::residual,
          loops<W>::apply,
          loops<W>::advance,
          loops<W>::add_solution,
          loops<W>::operate,
          mortar_loops<W>::weighted_square,
          mortar_loops<W>::advance,
          mortar_loops<W>::direct,
          mortar_loops<W>::add,
          mortar_loops<W>::scale};
}

}  // namespace
}  // namespace adaptive_heat
