// SPDX-License-Identifier: BSD-3-Clause
// The right-hand sides by themselves: what they make of a plane wave, and what self-adjoint means.
#include <mpi_test.hpp>
#include <nearfar/team.hpp>
#include <random>
#include <solver/propagator.hpp>

#include "energies.hpp"
#include "kspace.hpp"
#include "materials.hpp"

namespace seismic::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1}, .node_sizes = {0}, .on_cluster = false}};

using fields = std::array<std::vector<double>, 2>;

class operators : public nearfar::test::MpiTest {
 protected:
  grid points{{40, 40, 40}, {12.5, 12.5, 12.5}, {}};

  propagator make(system_kind system, const medium& m, int order, side_kind sides = side_kind::periodic) {
    return {nearfar::team(comm()),
            points,
            m,
            {.system = system, .order = order, .dt_s = dt_s, .sides = sides, .threads = 1}};
  }

  void for_points(const std::function<void(std::size_t, index_t, index_t, index_t)>& body) const {
    std::size_t at = 0;
    for (index_t k = 0; k < points.points[0]; ++k)
      for (index_t j = 0; j < points.points[1]; ++j)
        for (index_t i = 0; i < points.points[2]; ++i) body(at++, k, j, i);
  }

  /// dt^2 times the right-hand side for these fields: one step without a past.
  fields right_side(propagator& waves, const fields& u) const {
    for (int f = 0; f < waves.fields(); ++f) {
      const field_view now = waves.now(f), past = waves.before(f);
      for_points([&](std::size_t at, index_t k, index_t j, index_t i) {
        const index_t place = k * now.strides[0] + j * now.strides[1] + i;
        now.data[place] = static_cast<float>(u[static_cast<std::size_t>(f)][at]), past.data[place] = 0;
      });
    }
    waves.step();
    fields result;
    for (int f = 0; f < waves.fields(); ++f) {
      auto& r = result[static_cast<std::size_t>(f)];
      r.resize(static_cast<std::size_t>(points.size()));
      const field_view now = waves.now(f);
      for_points([&](std::size_t at, index_t k, index_t j, index_t i) {
        r[at] = now.data[k * now.strides[0] + j * now.strides[1] + i] -
                2.0 * static_cast<float>(u[static_cast<std::size_t>(f)][at]);
      });
    }
    return result;
  }

  /// How far the symbol of p on p, as the scheme has it for this wave, is from the exact one, relative to it.
  double symbol_error(propagator& waves, const material& m, const symbol& exact, const std::array<int, 3>& n) const {
    std::array<double, 3> k{};
    double along = 0, square = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      k[d] = 2 * std::numbers::pi * n[d] / (static_cast<double>(points.points[d]) * points.spacing_m[d]);
      along += m.axis()[d] * k[d], square += k[d] * k[d];
    }
    fields u;
    for (auto& field : u) field.assign(static_cast<std::size_t>(points.size()), 0.0);
    for_points([&](std::size_t at, index_t kz, index_t ky, index_t kx) {
      u[0][at] = std::cos(k[0] * 12.5 * static_cast<double>(kz) + k[1] * 12.5 * static_cast<double>(ky) +
                          k[2] * 12.5 * static_cast<double>(kx));
    });
    const fields r = right_side(waves, u);
    double product = 0, norm = 0;
    for (std::size_t at = 0; at < u[0].size(); ++at) product += u[0][at] * r[0][at], norm += u[0][at] * u[0][at];
    const double wanted = -dt_s * dt_s * exact(along * along, square - along * along)[0];
    return std::abs(product / norm / wanted - 1);
  }

  double dt_s = 0.001;
};

// Half as long a wave: about 2^order times the error. A mixed derivative from products of half-cell differences is of
// order 2, and would show in the directions between the axes.
TEST_F(operators, have_their_order_in_every_direction) {
  const material m = fletcher(std::numbers::pi / 4, 1.0);
  const std::vector<std::array<int, 3>> directions{{5, 0, 0}, {0, 5, 0},  {0, 0, 5}, {4, 4, 0},  {0, 4, 4},
                                                   {4, 0, 4}, {4, 0, -4}, {3, 4, 3}, {-3, 2, 4}, {3, -3, 3}};
  for (const auto& [system, exact] : {std::pair{system_kind::isotropic, isotropic_symbol(m)},
                                      {system_kind::fletcher_tti, fletcher_symbol(m)},
                                      {system_kind::self_adjoint, self_adjoint_symbol(m)}})
    for (const int order : {4, 8}) {
      propagator waves = make(system, medium_of(m), order);
      for (const auto& n : directions) {
        const double fine = symbol_error(waves, m, exact, n);
        const double coarse = symbol_error(waves, m, exact, {2 * n[0], 2 * n[1], 2 * n[2]});
        // Errors of the parts of a symbol may cancel for the coarse wave, and those of floats remain for the fine one.
        EXPECT_LT(fine, coarse * std::pow(2, 1 - order) + 1.5e-6)
            << "system " << static_cast<int>(system) << ", order " << order << ", wave " << n[0] << " " << n[1] << " "
            << n[2] << ": " << coarse << " " << fine;
      }
    }
}

TEST_F(operators, of_order_12_are_better_than_those_of_order_8) {
  const material m = fletcher(0.6, -1.0);
  for (const auto& [system, exact] : {std::pair{system_kind::fletcher_tti, fletcher_symbol(m)},
                                      {system_kind::self_adjoint, self_adjoint_symbol(m)}}) {
    propagator eight = make(system, medium_of(m), 8), twelve = make(system, medium_of(m), 12);
    for (const auto& n : {std::array<int, 3>{8, 0, 0}, {6, 6, 0}, {5, 5, 5}})
      EXPECT_LT(symbol_error(twelve, m, exact, n), 0.3 * symbol_error(eight, m, exact, n));
  }
}

// <w, K u> = <u, K w>, and <u, K u> <= 0, for any fields in a medium that jumps.
TEST_F(operators, of_the_self_adjoint_system_are_symmetric_and_negative) {
  points.points = {25, 21, 30};
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (const side_kind sides : {side_kind::periodic, side_kind::rigid}) {
    const medium m = sharp_blocks();
    propagator waves = make(system_kind::self_adjoint, m, 8, sides);
    const auto draw = [&] {
      fields u;
      for (auto& field : u) {
        field.resize(static_cast<std::size_t>(points.size()));
        for (double& value : field) value = static_cast<float>(normal(random));
      }
      return u;
    };
    std::vector<float> vp(static_cast<std::size_t>(points.size()));
    m.of(property_kind::vp)->read(points.whole(), vp);
    const auto product = [&](const fields& a, const fields& of_k) {  // vp^2 is part of of_k
      double sum = 0;
      for (std::size_t f = 0; f < 2; ++f)
        for (std::size_t at = 0; at < vp.size(); ++at)
          sum += a[f][at] * of_k[f][at] / (dt_s * dt_s * static_cast<double>(vp[at]) * static_cast<double>(vp[at]));
      return sum;
    };
    const fields u = draw(), w = draw(), ku = right_side(waves, u), kw = right_side(waves, w);
    const double uu = product(u, ku), scale = std::abs(uu);
    EXPECT_LT(uu, 0);
    EXPECT_NEAR(product(w, ku) / scale, product(u, kw) / scale, 1e-6);
  }
}

// Without absorption nothing is lost and nothing grows, at a time step near the largest.
TEST_F(operators, of_the_self_adjoint_system_keep_the_energy_for_ten_thousand_steps) {
  points.points = {16, 21, 22};
  energy_run run(nearfar::team(comm()), points, sharpest_blocks());
  const double first = run.energy();
  EXPECT_GT(first, 0);
  for (int part = 0; part < 5; ++part) {
    run.go_on(2000);
    EXPECT_NEAR(run.energy() / first, 1, 2e-3) << "after " << run.steps() << " steps";
  }
}

// The bound is exact in homogeneous media that repeat, and holds for the one that jumps.
TEST_F(operators, have_rates_up_to_the_bound) {
  points.points = {16, 20, 32};
  dt_s = 0.0008;
  const material tilted = fletcher(0.7, 1);
  for (const auto system :
       {system_kind::isotropic, system_kind::fletcher_vti, system_kind::fletcher_tti, system_kind::self_adjoint}) {
    propagator same = make(system, medium_of(tilted), 8), sharp = make(system, sharp_blocks(), 8, side_kind::rigid);
    EXPECT_NEAR(same.measured_rate(60) / same.bound().largest_rate, 0.99, 0.0105) << static_cast<int>(system);
    EXPECT_LT(sharp.measured_rate(60), 1.001 * sharp.bound().largest_rate) << static_cast<int>(system);
    EXPECT_EQ(same.now(0).data[0], 0);
  }
}

TEST_F(operators, of_the_self_adjoint_system_are_refused_where_they_would_grow) {
  points.points = {16, 21, 22};
  medium m = sharp_blocks();
  m.set(property_kind::vs, std::make_shared<formula>([](index_t k, index_t, index_t) { return k < 8 ? 0.0 : 900.0; }));
  dt_s = 0.0001;
  EXPECT_THROW(make(system_kind::self_adjoint, m, 8, side_kind::rigid), nearfar::usage_error);
}

}  // namespace
}  // namespace seismic::test
