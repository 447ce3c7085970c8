// SPDX-License-Identifier: BSD-3-Clause
// Sources and receivers change places; the transposed propagator is the propagator with time reversed.
#include <algorithm>
#include <cmath>
#include <mpi_test.hpp>
#include <nearfar/team.hpp>
#include <random>
#include <solver/shot.hpp>

#include "materials.hpp"

namespace seismic::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 4}, .node_sizes = {0}, .on_cluster = false}};

/// Numbers at whole steps.
class series final : public wavelet {
 public:
  series(std::vector<double> values, double dt_s) : values_(std::move(values)), dt_s_(dt_s) {}
  double at(double time_s) const override {
    const auto n = std::lround(time_s / dt_s_);
    return n < 0 || static_cast<std::size_t>(n) >= values_.size() ? 0 : values_[static_cast<std::size_t>(n)];
  }
  double highest_frequency_hz(double) const override { return 0; }
  double end_s() const override { return dt_s_ * static_cast<double>(values_.size()); }
  std::string name() const override { return "series"; }

 private:
  std::vector<double> values_;
  double dt_s_;
};

using table = std::vector<std::vector<double>>;  // of points and steps

class transposed : public nearfar::test::MpiTest {
 protected:
  static constexpr double dt_s = 0.0008;
  static constexpr int steps = 120;
  const grid points{{30, 33, 35}, {10, 11, 10}, {}};

  void SetUp() override {
    ::setenv("NEARFAR_BUDGET", "0", 1);
    MpiTest::SetUp();
  }

  point_weights weights(const position& where) const { return weights_of(where, points, points.whole(), {}, "point"); }

  /// What is recorded at `there` when `series` drive `here`, on every rank.
  table recorded(const propagator_options& options, const std::vector<position>& here, const table& driven,
                 const std::vector<position>& there) {
    const nearfar::team team(comm());
    propagator waves(team, points, sharp_blocks(), options);
    acquisition what;
    for (std::size_t n = 0; n < here.size(); ++n)
      what.sources.push_back({weights(here[n]), std::make_shared<series>(driven[n], dt_s), 1e6, true});
    for (const position& p : there) what.receivers.push_back(weights(p));
    shot now(waves, what);
    // A source of step n is in the field from n + 1 on.
    for (int n = 0; n <= steps; ++n) now.step();
    std::vector<float> flat = now.traces(team);
    flat.resize(there.size() * (steps + 1));
    MPI_Bcast(flat.data(), static_cast<int>(flat.size()), MPI_FLOAT, 0, comm());
    table all(there.size());
    for (std::size_t r = 0; r < there.size(); ++r)
      all[r].assign(flat.begin() + static_cast<std::ptrdiff_t>(r * (steps + 1) + 1),
                    flat.begin() + static_cast<std::ptrdiff_t>((r + 1) * (steps + 1)));
    return all;
  }

  static double product(const table& a, const table& b) {
    double sum = 0;
    for (std::size_t n = 0; n < a.size(); ++n)
      for (std::size_t m = 0; m < a[n].size(); ++m) sum += a[n][m] * b[n][m];
    return sum;
  }
  static table reversed(table t) {
    for (auto& row : t) std::reverse(row.begin(), row.end());
    return t;
  }
  static table random_table(std::size_t rows, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    table t(rows, std::vector<double>(steps));
    for (auto& row : t)
      for (double& value : row) value = static_cast<float>(normal(random));
    return t;
  }

  const std::vector<position> sources_{{101, 122.5, 88}, {200, 90.3, 240}};
  const std::vector<position> receivers_{{150.2, 200, 160}, {60, 61, 99.9}, {222, 260, 111}};
};

// <F s, d> = <s, F^T d>, F^T by the same program: driven by what is reversed at the receivers, read at the sources, and
// reversed.
TEST_F(transposed, propagators_pass_the_dot_product_test) {
  for (const auto& [system, sides] : {std::pair{system_kind::self_adjoint, side_kind::rigid},
                                      {system_kind::self_adjoint, side_kind::sponge},
                                      {system_kind::self_adjoint, side_kind::periodic},
                                      {system_kind::isotropic, side_kind::sponge}}) {
    const propagator_options options{
        .system = system, .dt_s = dt_s, .sides = sides, .absorbing_cells = 8, .threads = 1, .ghosts = 4};
    const table s = random_table(sources_.size(), 1), d = random_table(receivers_.size(), 2);
    const table fs = recorded(options, sources_, s, receivers_);
    const table fd = reversed(recorded(options, receivers_, reversed(d), sources_));
    const double there = product(fs, d), back = product(s, fd);
    // Random products are much smaller than what is summed up in them.
    const double scale = std::sqrt(product(fs, fs) * product(d, d));
    EXPECT_GT(scale, 0);
    EXPECT_NEAR(there / scale, back / scale, 1e-5) << static_cast<int>(system) << " " << static_cast<int>(sides);
  }
}

TEST_F(transposed, sources_and_receivers_change_places) {
  const propagator_options options{.system = system_kind::self_adjoint,
                                   .dt_s = dt_s,
                                   .sides = side_kind::sponge,
                                   .absorbing_cells = 8,
                                   .threads = 1,
                                   .ghosts = 4};
  std::vector<double> pulse(steps);
  for (int n = 0; n < steps; ++n)
    pulse[static_cast<std::size_t>(n)] = std::exp(-0.01 * (n - 30) * (n - 30)) * (1 - 0.02 * (n - 30) * (n - 30));
  const table there = recorded(options, {sources_[0]}, {pulse}, {receivers_[0]});
  const table back = recorded(options, {receivers_[0]}, {pulse}, {sources_[0]});
  double most = 0;
  for (const double v : there[0]) most = std::max(most, std::abs(v));
  EXPECT_GT(most, 0);
  for (std::size_t n = 0; n < there[0].size(); ++n) EXPECT_NEAR(there[0][n] / most, back[0][n] / most, 2e-5) << n;
}

}  // namespace
}  // namespace seismic::test
