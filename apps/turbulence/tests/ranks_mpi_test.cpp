// SPDX-License-Identifier: BSD-3-Clause
// The same bits for any number of ranks: modes, numbers and spectra.
#include "flows.hpp"

namespace turbulence::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__,
                                              {.ranks = {2, 3, 4}, .node_sizes = {0, 2}, .on_cluster = false}};

struct outcome {
  std::vector<double> numbers, steps;
  shell_spectra spectra;
};

outcome run(flow& of) {
  begin(of, {.kind = initial_kind::isotropic, .peak = 3, .seed = 7}, true);
  outcome o;
  for (int n = 0; n < 3; ++n) o.steps.push_back(of.step([](double fastest) { return 0.4 / fastest; }));
  o.numbers = values_of(numbers_of(of), true);
  o.spectra = spectra_of(of);
  return o;
}

/// Own modes of ours, looked up in a flow of one rank that has all of them.
index_t different_modes(flow& ours, flow& alone) {
  std::vector<complex*> a = ours.state().all(), b = alone.state().all();
  const nearfar::array_shape whole = nearfar::shape_of(alone.on().layout().spectral());
  index_t different = 0;
  for (std::size_t f = 0; f < a.size(); ++f)
    ours.on().for_modes([&](const mode& m) {
      different += a[f][m.at] != b[f][whole.offset({m.index[0], m.index[1], m.index[2]})];
    });
  return different;
}

TEST_F(flows, have_the_same_bits_on_any_number_of_ranks) {
  for (const box_shape& shape : {box_shape{{10, 12, 16}, {1, 2, 1}, dealiasing_rule::two_thirds},
                                 box_shape{{8, 7, 9}, {1, 1, 1}, dealiasing_rule::three_halves}})
    for (const time_scheme scheme : {time_scheme::rk3, time_scheme::rk4}) {
      const flow_options options{.viscosity = 0.01,
                                 .scheme = scheme,
                                 .forcing_power = 0.1,
                                 .has_scalar = true,
                                 .diffusivity = 0.02,
                                 .scalar_gradient = 1};
      const space here(nearfar::team(MPI_COMM_SELF), shape), there(team(), shape);
      flow alone(here, options), together(there, options);
      const outcome a = run(alone), b = run(together);
      EXPECT_EQ(a.steps, b.steps);
      EXPECT_EQ(a.numbers, b.numbers);
      EXPECT_EQ(a.spectra.energy, b.spectra.energy);
      EXPECT_EQ(a.spectra.transfer, b.spectra.transfer);
      EXPECT_EQ(a.spectra.scalar, b.spectra.scalar);
      EXPECT_EQ(different_modes(together, alone), 0);
      EXPECT_GT(a.numbers[0], 0.1);
    }
}

}  // namespace
}  // namespace turbulence::test
