// SPDX-License-Identifier: BSD-3-Clause
// The kernels against the same schemes in double, whose transposes hold to the rounding of doubles.
#include <cmath>
#include <mpi_test.hpp>
#include <nearfar/team.hpp>

#include "dot_products.hpp"
#include "energies.hpp"

namespace seismic::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1}, .node_sizes = {0}, .on_cluster = false}};

class reference : public nearfar::test::MpiTest {
 protected:
  static dot_product_run run_of(propagator_options options, const medium& m) {
    options.dt_s = 0.0006, options.absorbing_cells = 5, options.threads = 1, options.ghosts = 6;
    dot_product_run run{{{20, 18, 19}, {10, 11, 10}, {}}, m, options, 40};
    run.sources = {{101, 122.5, 88}, {110, 90.3, 120}}, run.receivers = {{120.2, 100, 110}, {60, 61, 99.9}};
    return run;
  }
};

TEST_F(reference, schemes_are_what_kernels_do) {
  const nearfar::team team(comm());
  std::vector<propagator_options> all;
  for (const int order : {4, 8, 12}) {
    for (const auto system :
         {system_kind::isotropic, system_kind::fletcher_vti, system_kind::fletcher_tti, system_kind::self_adjoint})
      for (const auto sides : {side_kind::rigid, side_kind::sponge, side_kind::periodic})
        all.push_back({.system = system, .order = order, .sides = sides});
    for (const auto system : {system_kind::isotropic, system_kind::self_adjoint})
      all.push_back({.system = system, .order = order, .sides = side_kind::cpml});
    all.push_back({.order = order, .sides = side_kind::cpml, .is_transposed = true});
  }
  for (const auto system : {system_kind::fletcher_vti, system_kind::fletcher_tti})
    all.push_back({.system = system, .sides = side_kind::cpml});
  for (const propagator_options& options : all) {
    const dot_product_run run = run_of(options, sharp_blocks());
    const auto driven = run.random_table(2, 3);
    const auto is = run.recorded(team, run.options, run.sources, driven, run.receivers);
    const auto should = run.recorded_in_double(run.options, run.sources, driven, run.receivers);
    double off = 0, most = 0;
    // Sources of a shot are 1e6 over the volume of a cell.
    const double scale = 1e6 / (10 * 11 * 10);
    for (std::size_t r = 0; r < is.size(); ++r)
      for (std::size_t n = 0; n < is[r].size(); ++n)
        off = std::max(off, std::abs(is[r][n] - scale * should[r][n])), most = std::max(most, std::abs(is[r][n]));
    EXPECT_GT(most, 0);
    EXPECT_LT(off / most, 1e-5) << "system " << static_cast<int>(options.system) << ", order " << options.order
                                << ", sides " << static_cast<int>(options.sides)
                                << (options.is_transposed ? ", transposed" : "");
  }
}

TEST_F(reference, propagators_pass_the_dot_product_test_to_the_rounding_of_doubles) {
  for (const auto& [system, sides] : {std::pair{system_kind::self_adjoint, side_kind::rigid},
                                      {system_kind::self_adjoint, side_kind::sponge},
                                      {system_kind::self_adjoint, side_kind::periodic},
                                      {system_kind::isotropic, side_kind::sponge},
                                      {system_kind::isotropic, side_kind::cpml}})
    EXPECT_LT(run_of({.system = system, .sides = sides}, random_blocks(7)).gap_in_double(), 1e-12)
        << static_cast<int>(system) << " " << static_cast<int>(sides);
}

}  // namespace
}  // namespace seismic::test
