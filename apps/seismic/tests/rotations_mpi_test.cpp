// SPDX-License-Identifier: BSD-3-Clause
// A model that is turned has the field that is turned.
#include <mpi_test.hpp>
#include <nearfar/team.hpp>
#include <solver/propagator.hpp>

#include "materials.hpp"

namespace seismic::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1}, .node_sizes = {0}, .on_cluster = false}};

using place = std::array<index_t, 3>;

/// Dimension d of the turned ground is dimension from[d] of the other one, backwards where so said.
struct turn {
  std::array<std::size_t, 3> from;
  std::array<bool, 3> is_backwards{};
  const char* name;

  grid of(const grid& g) const {
    grid turned;
    for (std::size_t d = 0; d < 3; ++d)
      turned.points[d] = g.points[from[d]], turned.spacing_m[d] = g.spacing_m[from[d]];
    return turned;
  }
  place back(const place& p, const grid& turned) const {
    place was{};
    for (std::size_t d = 0; d < 3; ++d) was[from[d]] = is_backwards[d] ? turned.points[d] - 1 - p[d] : p[d];
    return was;
  }
  material of(const material& m) const {
    std::array<double, 3> axis{};
    for (std::size_t d = 0; d < 3; ++d) axis[d] = (is_backwards[d] ? -1 : 1) * m.axis()[from[d]];
    material turned = m;
    turned.tilt = std::acos(std::clamp(axis[0], -1.0, 1.0)), turned.azimuth = std::atan2(axis[1], axis[2]);
    return turned;
  }
};

/// Of each point.
using ground = std::function<material(const place&)>;

medium medium_of_points(const ground& at) {
  medium of;
  const std::array<double material::*, 6> members{&material::vp,    &material::vs,   &material::epsilon,
                                                  &material::delta, &material::tilt, &material::azimuth};
  for (std::size_t p = 0; p < members.size(); ++p)
    of.properties[p] = std::make_shared<formula>([at, member = members[p]](index_t k, index_t j, index_t i) {
      return at({k, j, i}).*member;
    });
  return of;
}

class turned : public nearfar::test::MpiTest {
 protected:
  const grid points{{26, 31, 23}, {10, 12, 11}, {}};
  const place source{12, 14, 10};

  std::vector<double> field_of(system_kind system, const grid& g, const ground& at, const place& driven,
                               const std::function<place(const place&)>& seen_as) const {
    propagator waves(nearfar::team(comm()), g, medium_of_points(at), {.system = system, .dt_s = 0.0008, .threads = 1});
    for (int n = 0; n < 60; ++n) {
      const field_view p = waves.now(0);
      p.data[driven[0] * p.strides[0] + driven[1] * p.strides[1] + driven[2]] +=
          static_cast<float>(std::exp(-0.02 * (n - 15) * (n - 15)));
      waves.step();
    }
    std::vector<double> values(static_cast<std::size_t>(g.size()));
    const field_view p = waves.now(0);
    for (index_t k = 0; k < g.points[0]; ++k)
      for (index_t j = 0; j < g.points[1]; ++j)
        for (index_t i = 0; i < g.points[2]; ++i) {
          const place was = seen_as({k, j, i});
          values[static_cast<std::size_t>((was[0] * points.points[1] + was[1]) * points.points[2] + was[2])] =
              p.data[k * p.strides[0] + j * p.strides[1] + i];
        }
    return values;
  }

  void expect_turned_field(system_kind system, const ground& at, const turn& by) const {
    const grid g = by.of(points);
    const auto back = [&](const place& p) { return by.back(p, g); };
    place driven{};
    for (std::size_t d = 0; d < 3; ++d)
      driven[d] = by.is_backwards[d] ? g.points[d] - 1 - source[by.from[d]] : source[by.from[d]];
    const auto was = field_of(system, points, at, source, [](const place& p) { return p; });
    const auto is = field_of(
        system, g, [&](const place& p) { return by.of(at(back(p))); }, driven, back);
    double off = 0, all = 0;
    for (std::size_t n = 0; n < was.size(); ++n) off += std::pow(is[n] - was[n], 2), all += was[n] * was[n];
    EXPECT_GT(all, 0);
    EXPECT_LT(std::sqrt(off / all), 3e-6) << by.name << ", system " << static_cast<int>(system);
  }
};

const std::array<turn, 5> turns{{{{2, 1, 0}, {}, "x and z change places"},
                                 {{1, 2, 0}, {}, "x becomes z, z y, y x"},
                                 {{0, 2, 1}, {}, "x and y change places"},
                                 {{0, 2, 1}, {false, true, false}, "by 90 degrees in azimuth"},
                                 {{0, 1, 2}, {true, false, true}, "by 180 degrees about y"}}};

TEST_F(turned, models_have_the_field_turned) {
  const auto blocks = [](const place& p) {
    constexpr std::array<material, 3> kinds{
        material{2500, 1100, 0.24, 0.1, 0.8, 1}, {3000, 1300, 0.1, 0.05, 1.3, -2}, {3400, 1500, 0.3, -0.1, 0.3, 0.4}};
    return kinds[static_cast<std::size_t>((p[0] / 7 + p[1] / 9 * 2 + p[2] / 6) % 3)];
  };
  for (const auto system : {system_kind::fletcher_tti, system_kind::self_adjoint})
    for (const turn& by : turns) expect_turned_field(system, blocks, by);
}

// The axis along z, x and y: a wave along the axis of any of them is the same.
TEST_F(turned, axes_along_the_grid_are_alike) {
  const auto vertical = [](const place&) { return fletcher(0, 0); };
  for (const auto system : {system_kind::fletcher_tti, system_kind::self_adjoint})
    for (const turn& by : {turns[0], turns[1]}) expect_turned_field(system, vertical, by);
}

// Tilted by nothing, TTI is VTI: with the terms of a tilt, which are zeros, to rounding.
TEST_F(turned, no_tilt_is_a_vertical_axis) {
  const auto vertical = [](const place& p) {
    material m = fletcher(0, 0);
    m.vp += p[0] < 13 ? 0 : 400;
    return m;
  };
  const auto same = [](const place& p) { return p; };
  const auto tti = field_of(system_kind::fletcher_tti, points, vertical, source, same);
  const auto vti = field_of(system_kind::fletcher_vti, points, vertical, source, same);
  double off = 0, most = 0;
  for (std::size_t n = 0; n < tti.size(); ++n)
    off = std::max(off, std::abs(tti[n] - vti[n])), most = std::max(most, std::abs(vti[n]));
  EXPECT_GT(most, 0);
  EXPECT_LT(off / most, 3e-6);
}

}  // namespace
}  // namespace seismic::test
