// SPDX-License-Identifier: BSD-3-Clause
// Traces of shots: the same bits for any ranks, at every so many steps, and where another run's are gone on with.
#include <mpi_test.hpp>

#include "dot_products.hpp"
#include "materials.hpp"

namespace seismic::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 4}, .node_sizes = {0}, .on_cluster = false}};

class shots : public nearfar::test::MpiTest {
 protected:
  static constexpr double dt_s = 0.0008;
  static constexpr index_t steps = 40;
  grid points{{26, 31, 23}, {10, 12, 11}, {}};
  propagator_options options{
      .system = system_kind::isotropic, .dt_s = dt_s, .sides = side_kind::rigid, .threads = 1, .ghosts = 4};

  void SetUp() override {
    ::setenv("NEARFAR_BUDGET", "0", 1);
    MpiTest::SetUp();
  }

  /// A source in the middle, and receivers between the points from one side of the grid to the other.
  acquisition what(index_t steps_per_sample = 1) const {
    const auto at = [&](const position& p) { return weights_of(p, points, points.whole(), {}, "point"); };
    acquisition a;
    std::vector<double> pulse(10, 1.0);
    a.sources.push_back({at({121.5, 170.2, 118.3}), std::make_shared<series>(pulse, dt_s), 1e6, true});
    for (int n = 0; n <= 40; ++n) {
      const double part = 0.02 + 0.96 * n / 40;
      a.receivers.push_back(at({part * 250, (n % 2 == 0 ? part : 1 - part) * 360, part * 242}));
    }
    a.steps_per_sample = steps_per_sample;
    return a;
  }

  /// On every rank.
  static std::vector<float> traces_of(const nearfar::team& team, const shot& s) {
    std::vector<float> all = s.traces(team);
    all.resize(static_cast<std::size_t>(s.receivers() * s.samples()));
    nearfar::bcast(team, all.data(), static_cast<index_t>(all.size()), MPI_FLOAT, 0);
    return all;
  }

  std::vector<float> recorded(const nearfar::team& team, index_t steps_per_sample = 1) const {
    propagator waves(team, points, sharp_blocks(), options);
    shot s(waves, what(steps_per_sample));
    for (index_t n = 0; n < steps; ++n) s.step();
    return traces_of(team, s);
  }
};

TEST_F(shots, have_the_same_traces_on_any_ranks) {
  const auto alone = recorded(nearfar::team(MPI_COMM_SELF)), together = recorded(nearfar::team(comm()));
  EXPECT_EQ(alone.size(), 41U * steps);
  EXPECT_TRUE(alone == together);
  for (std::size_t r = 0; r < 41; ++r)
    EXPECT_GT(std::abs(alone[r * steps + steps - 1]) + std::abs(alone[r * steps + steps / 2]), 0) << r;
}

TEST_F(shots, keep_the_samples_of_every_so_many_steps_from_the_first_one_on) {
  const nearfar::team team(comm());
  const auto all = recorded(team), some = recorded(team, 3);
  constexpr std::size_t samples = 14;  // at steps 0, 3, ... 39
  ASSERT_EQ(some.size(), 41 * samples);
  for (std::size_t r = 0; r < 41; ++r)
    for (std::size_t n = 0; n < samples; ++n) EXPECT_EQ(some[r * samples + n], all[r * steps + 3 * n]) << r << ' ' << n;
}

TEST_F(shots, go_on_with_what_another_run_has_recorded) {
  const nearfar::team team(comm());
  const auto before = recorded(team);
  propagator waves(team, points, sharp_blocks(), options);
  shot s(waves, what());
  const auto [first, end] = s.own_range();
  s.resume(std::span(before).subspan(static_cast<std::size_t>(first * steps),
                                     static_cast<std::size_t>((end - first) * steps)),
           steps);
  EXPECT_TRUE(traces_of(team, s) == before);
}

}  // namespace
}  // namespace seismic::test
