// SPDX-License-Identifier: BSD-3-Clause
// Every variant of the kernels, for every order, against loops written down from the formulas.
#include <gtest/gtest.h>

#include <cmath>
#include <element/kernels.hpp>
#include <element/operators.hpp>
#include <numbers>
#include <random>
#include <tuple>

namespace adaptive_heat {
namespace {

constexpr double viscosity = 0.005, dt = 0.0025;

/// Two blocks of elements of several levels somewhere in the cube, and what their maps point to.
struct two_blocks {
  static constexpr std::size_t blocks = 2, mortars = 500;
  operators op;
  std::size_t points, volume, stored, interior_points, kinds;
  point_list_view lists;
  aligned_vector<double> u, r, p, q, s, inverse_diagonal;
  std::vector<block_shape, aligned_allocator<block_shape>> shape;
  std::vector<block_map, aligned_allocator<block_map>> map;
  aligned_vector<double> mortar;
  block_fields fields{};

  explicit two_blocks(int order)
      : op(ops(order)),
        points(static_cast<std::size_t>(op.counts.points())),
        volume(static_cast<std::size_t>(op.counts.volume())),
        stored(static_cast<std::size_t>(op.counts.stored())),
        interior_points(static_cast<std::size_t>(op.counts.interior())),
        kinds(static_cast<std::size_t>(points_of(order).kinds)),
        lists(points_of(order)),
        inverse_diagonal(blocks * kinds * simd_lanes),
        shape(blocks),
        map(blocks) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> value(-1, 1);
    for (auto* field : {&u, &r, &p, &q, &s, &mortar}) {
      field->resize(std::max(blocks * stored * simd_lanes, mortars));
      for (double& v : *field) v = value(random);
    }
    for (std::size_t slot = 0; slot < blocks * simd_lanes; ++slot) fill(slot / simd_lanes, slot % simd_lanes, random);
    fields = {.order = order,
              .shape = shape.data(),
              .inverse_diagonal = inverse_diagonal.data(),
              .map = map.data(),
              .u = u.data(),
              .r = r.data()};
  }

  void fill(std::size_t b, std::size_t l, std::mt19937& random) {
    const double side = std::ldexp(1.0, -static_cast<int>(2 + l % 3));
    block_shape& s = shape[b];
    s.side[l] = side;
    for (std::size_t axis = 0; axis < 3; ++axis)
      s.anchor[axis][l] = axis == 0 && l == 1 ? 0 : side * static_cast<double>(1 + l % 3);
    s.stiffness[l] = viscosity * side / 2, s.mass[l] = side * side * side / 8 / dt, s.slope[l] = 6 / side;
    for (std::size_t kind = 0; kind < kinds; ++kind)
      inverse_diagonal[(b * kinds + kind) * simd_lanes + l] = inverse(kind, l);
    for (auto& entity : map[b].of) entity[l] = static_cast<std::int32_t>(random() % (mortars - 49));
  }

  static double inverse(std::size_t kind, std::size_t l) {
    return 0.5 + static_cast<double>(l) + 0.25 * static_cast<double>(kind);
  }
  /// M at interior point n of SIMD lane l.
  double preconditioner(std::size_t n, std::size_t l) const {
    return inverse(static_cast<std::size_t>(lists.interior_kind[n]), l);
  }
  std::size_t interior_volume(std::size_t n) const { return static_cast<std::size_t>(lists.interior[n]); }
  std::size_t boundary_volume(int e, int k) const {
    return static_cast<std::size_t>(lists.boundary[static_cast<std::size_t>(op.counts.offset(e) + k)]);
  }
  int entity_points(int e) const { return op.counts.of_entity(e); }

  /// Coordinate `axis` of point n, and the point that differs from it in that coordinate only.
  std::size_t coordinate(std::size_t n, int axis) const {
    return axis == 0 ? n % points : axis == 1 ? n / points % points : n / (points * points);
  }
  std::size_t with_coordinate(std::size_t n, int axis, std::size_t i) const {
    const std::size_t stride = axis == 0 ? 1 : axis == 1 ? points : points * points;
    return n + (i - coordinate(n, axis)) * stride;
  }
  double weight_at(std::size_t n) const {
    return op.weight[coordinate(n, 0)] * op.weight[coordinate(n, 1)] * op.weight[coordinate(n, 2)];
  }

  std::vector<double> simd_lane_of(const double* field, std::size_t simd_lane) const {
    std::vector<double> values(volume);
    for (std::size_t n = 0; n < volume; ++n) values[n] = field[n * simd_lanes + simd_lane];
    return values;
  }

  /// A u by the formula of the element matrix.
  std::vector<double> matrix_times(const std::vector<double>& v, double stiffness, double mass) const {
    std::vector<double> out(volume);
    for (std::size_t n = 0; n < volume; ++n) {
      out[n] = mass * weight_at(n) * v[n];
      for (int axis = 0; axis < 3; ++axis) {
        const std::size_t i = coordinate(n, axis);
        for (std::size_t j = 0; j < points; ++j)
          out[n] += stiffness * weight_at(n) / op.weight[i] * op.stiffness[i][j] * v[with_coordinate(n, axis, j)];
      }
    }
    return out;
  }

  /// f of the convection at the start, in the middle or at the end of the step.
  std::vector<double> slope_of(const std::vector<double>& v, const block_shape& at, std::size_t l, int when,
                               const convection& c) const {
    std::vector<double> f(volume);
    for (std::size_t n = 0; n < volume; ++n) {
      std::vector<double> squares(static_cast<std::size_t>(c.source_count));
      for (int axis = 0; axis < 3; ++axis) {
        const std::size_t i = coordinate(n, axis);
        for (std::size_t j = 0; j < points; ++j)
          f[n] -= 6 * c.flow[axis] / at.side[l] * op.derivative[i][j] * v[with_coordinate(n, axis, j)];
        const double x = at.anchor[axis][l] + at.side[l] * (op.zeta[i] + 1) / 2;
        for (std::size_t s = 0; s < squares.size(); ++s)
          squares[s] += (x - c.sources[s].centre[when][axis]) * (x - c.sources[s].centre[when][axis]);
      }
      for (std::size_t s = 0; s < squares.size(); ++s)
        if (const auto& [radius, strength, centre] = c.sources[s]; squares[s] <= radius * radius)
          f[n] += strength * (1 + std::cos(std::numbers::pi * std::sqrt(squares[s]) / radius));
    }
    return f;
  }

  bool is_on_surface(const block_shape& at, std::size_t l, std::size_t n) const {
    for (int axis = 0; axis < 3; ++axis) {
      const std::size_t i = coordinate(n, axis);
      if ((i == 0 && at.anchor[axis][l] == 0) || (i == points - 1 && at.anchor[axis][l] + at.side[l] == 1)) return true;
    }
    return false;
  }
};

std::vector<double> moved(const std::vector<double>& u, double step, const std::vector<double>& f) {
  std::vector<double> out(u.size());
  for (std::size_t n = 0; n < u.size(); ++n) out[n] = u[n] + step * f[n];
  return out;
}

class Kernels : public testing::TestWithParam<std::tuple<const char*, int>> {
 protected:
  void SetUp() override {
    const auto& [name, order] = GetParam();
    table_ = kernels_named(name, order);
    if (table_ == nullptr) GTEST_SKIP() << "this processor does not have " << name;
  }
  int order() const { return std::get<1>(GetParam()); }
  const kernel_table& run() const { return *table_; }

 private:
  const kernel_table* table_ = nullptr;
};

/// The first iteration, the first update and any other one.
TEST_P(Kernels, iteration_is_that_of_the_formula) {
  for (const cg_step step : {cg_step{0.3, 0.75, 0}, {0.3, 0.75, 1}, {0.3, 0.75, 2}}) {
    two_blocks b(order()), old(order());
    aligned_vector<double> product(b.mortar.size()), expected(b.mortar.size());
    cg_sums sums[2];
    run().iterate(b.fields, step, b.mortar.data(), product.data(), 0, 2, sums);
    for (std::size_t block = 0; block < 2; ++block) {
      cg_sums sum;
      for (std::size_t l = 0; l < simd_lanes; ++l) {
        std::vector<double> z(b.volume);
        for (std::size_t n = 0; n < b.interior_points; ++n) {
          const double m = b.preconditioner(n, l);
          const std::size_t at = (block * b.interior_points + n) * simd_lanes + l;
          const std::size_t point = b.interior_volume(n), in_u = (block * b.stored + point) * simd_lanes + l;
          const double beta = step.updates > 1 ? step.beta : 0, size = step.updates > 0 ? step.step : 0;
          const auto of = [&](const two_blocks& all, lodger v) { return all.fields.lodged(v, block, n, l); };
          const double p = m * old.r[at] + beta * of(old, lodger::p),
                       s = of(old, lodger::q) + beta * of(old, lodger::s);
          const double r = old.r[at] - size * s;
          if (step.updates > 0) {
            EXPECT_NEAR(of(b, lodger::p), p, 1e-14);
            EXPECT_NEAR(of(b, lodger::s), s, 1e-14);
          }
          EXPECT_NEAR(b.r[at], r, 1e-14);
          EXPECT_NEAR(b.u[in_u], old.u[in_u] + size * p, 1e-14);
          z[point] = m * r;
          sum.square += m * r * r;
        }
        const auto at_mortar = [&](int e, int point) {
          return static_cast<std::size_t>(b.map[block].of[e][l] + point);
        };
        for (int e = 0; e < entities; ++e)
          for (int k = 0; k < b.entity_points(e); ++k) z[b.boundary_volume(e, k)] = b.mortar[at_mortar(e, k)];
        const auto out = b.matrix_times(z, b.shape[block].stiffness[l], b.shape[block].mass[l]);
        for (std::size_t n = 0; n < b.interior_points; ++n)
          EXPECT_NEAR(b.fields.lodged(lodger::q, block, n, l), out[b.interior_volume(n)], 1e-13);
        for (std::size_t n = 0; n < b.volume; ++n) sum.curvature += z[n] * out[n];
        for (int e = 0; e < entities; ++e)
          for (int k = 0; k < b.entity_points(e); ++k) expected[at_mortar(e, k)] += out[b.boundary_volume(e, k)];
      }
      EXPECT_NEAR(sums[block].square, sum.square, 1e-11);
      EXPECT_NEAR(sums[block].curvature, sum.curvature, 1e-11);
    }
    for (std::size_t i = 0; i < product.size(); ++i) EXPECT_NEAR(product[i], expected[i], 1e-12) << "mortar " << i;
  }
}

/// Interior of u += step (M r + beta p), boundary of u := mortar.
TEST_P(Kernels, solution_is_added) {
  two_blocks b(order()), old(order());
  run().add_solution(b.fields, {0.3, 0.75, 2}, b.mortar.data(), 0, 2);
  for (std::size_t block = 0; block < 2; ++block)
    for (std::size_t l = 0; l < simd_lanes; ++l) {
      for (std::size_t n = 0; n < b.interior_points; ++n) {
        const std::size_t at = (block * b.interior_points + n) * simd_lanes + l;
        const std::size_t in_u = (block * b.stored + b.interior_volume(n)) * simd_lanes + l;
        const double p = old.fields.lodged(lodger::p, block, n, l);
        EXPECT_NEAR(b.u[in_u] - old.u[in_u], 0.3 * (b.preconditioner(n, l) * b.r[at] + 0.75 * p), 1e-14);
      }
      for (int e = 0; e < entities; ++e)
        for (int k = 0; k < b.entity_points(e); ++k) {
          const std::size_t in_u = (block * b.stored + b.boundary_volume(e, k)) * simd_lanes + l;
          EXPECT_EQ(b.u[in_u], b.mortar[static_cast<std::size_t>(b.map[block].of[e][l] + k)]);
        }
    }
}

TEST_P(Kernels, convection_is_that_of_the_formula) {
  two_blocks b(order());
  const auto before = b.u;
  aligned_vector<double> average(b.mortar.size());
  const std::uint8_t surface[2] = {1, 1};
  const std::int32_t weights[2] = {-1, -1};
  const convected_source sources[2] = {{0.3, 1.5, {{0.5, 0.4, 0.4}, {0.55, 0.45, 0.45}, {0.6, 0.5, 0.5}}},
                                       {0.2, -4, {{0.6, 0.4, 0.5}, {0.6, 0.45, 0.5}, {0.6, 0.5, 0.5}}}};
  convection c{.fields = &b.fields,
               .touches_surface = surface,
               .weights_of_block = weights,
               .weights = nullptr,
               .sources = sources,
               .source_count = 2,
               .dt = 0.001,
               .average = average.data(),
               .flow = {1, -0.5, 0.25}};
  run().convect(c, 0, 2);
  for (std::size_t block = 0; block < 2; ++block)
    for (std::size_t l = 0; l < simd_lanes; ++l) {
      const auto u = b.simd_lane_of(before.data() + block * b.stored * simd_lanes, l);
      const auto f = [&](const std::vector<double>& v, int stage) {
        return b.slope_of(v, b.shape[block], l, stage, c);
      };
      const auto k1 = f(u, 0), k2 = f(moved(u, c.dt / 2, k1), 1), k3 = f(moved(u, c.dt / 2, k2), 1),
                 k4 = f(moved(u, c.dt, k3), 2);
      const auto after = b.simd_lane_of(b.u.data() + block * b.stored * simd_lanes, l);
      for (std::size_t n = 0; n < b.volume; ++n) {
        const double k = b.is_on_surface(b.shape[block], l, n) ? 0 : (k1[n] + 2 * k2[n] + 2 * k3[n] + k4[n]) / 6;
        EXPECT_NEAR(after[n], u[n] + c.dt * k, 1e-13) << "block " << block << ", SIMD lane " << l << ", point " << n;
      }
    }
}

/// b - A u0 with b = B (u* / dt), u0 = u* inside and the mortars' values on the boundary.
TEST_P(Kernels, residual_is_that_of_the_formula) {
  two_blocks b(order());
  const auto before = b.u;
  aligned_vector<double> given(b.mortar.size());
  run().residual(b.fields, b.mortar.data(), given.data(), 0, 2);
  for (std::size_t block = 0; block < 2; ++block)
    for (std::size_t l = 0; l < simd_lanes; ++l) {
      const double mass = b.shape[block].mass[l];
      const auto star = b.simd_lane_of(before.data() + block * b.stored * simd_lanes, l);
      auto u = star;
      for (int e = 0; e < entities; ++e)
        for (int k = 0; k < b.entity_points(e); ++k)
          u[b.boundary_volume(e, k)] = b.mortar[static_cast<std::size_t>(b.map[block].of[e][l] + k)];
      const auto out = b.matrix_times(u, b.shape[block].stiffness[l], mass);
      for (std::size_t n = 0; n < b.interior_points; ++n) {
        const std::size_t point = b.interior_volume(n);
        EXPECT_NEAR(b.r[(block * b.interior_points + n) * simd_lanes + l],
                    mass * b.weight_at(point) * star[point] - out[point], 1e-13);
      }
    }
}

/// Own points end anywhere, and only they count.
TEST_P(Kernels, mortar_vectors_are_updated_and_own_points_summed) {
  for (const int updates : {0, 1, 2})
    for (std::size_t own : {0, 1, 7, 8, 21, 64}) {
      two_blocks b(order()), old(order());
      auto x = old.mortar, inverse = old.u, z = old.r;
      inverse[5] = old.r[5] = 0;  // as on the surface
      for (std::size_t i = 0; updates > 0 && i < 64; ++i) z[i] = inverse[i] * old.r[i];
      const cg_mortars m{
          x.data(), z.data(), b.p.data(), b.s.data(), b.q.data(), inverse.data(), static_cast<index_t>(own)};
      const double sum = run().iterate_mortars(m, {0.3, 0.75, updates}, 0, 64);
      const double beta = updates > 1 ? 0.75 : 0, step = updates > 0 ? 0.3 : 0;
      double square = 0;
      for (std::size_t i = 0; i < 64; ++i) {
        const double p = inverse[i] * old.r[i] + beta * old.p[i], s = old.q[i] + beta * old.s[i],
                     r = old.r[i] - step * s;
        EXPECT_NEAR(z[i], inverse[i] * r, 1e-14);
        EXPECT_EQ(b.q[i], 0);
        if (updates > 0) {
          EXPECT_NEAR(x[i], old.mortar[i] + step * p, 1e-14);
          EXPECT_NEAR(b.p[i], p, 1e-14);
          EXPECT_NEAR(b.s[i], s, 1e-14);
        }
        if (i < own) square += r * r * inverse[i];
      }
      EXPECT_NEAR(sum, square, 1e-13);
    }
}

INSTANTIATE_TEST_SUITE_P(Variants, Kernels,
                         testing::Combine(testing::Values("plain", "avx2", "avx512"),
                                          testing::Range(least_order, most_order + 1)),
                         [](const auto& p) {
                           return std::string(std::get<0>(p.param)) + "_" + std::to_string(std::get<1>(p.param));
                         });

}  // namespace
}  // namespace adaptive_heat
