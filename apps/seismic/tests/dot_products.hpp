// SPDX-License-Identifier: BSD-3-Clause
// The dot-product test, <F s, d> = <s, F^T d>: F drives sources and records at receivers; its transpose is the same
// program, driven by what is reversed at the receivers, read at the sources, and reversed.
#pragma once

#include <algorithm>
#include <cmath>
#include <nearfar/collective.hpp>
#include <nearfar/team.hpp>
#include <random>
#include <solver/shot.hpp>

#include "reference_waves.hpp"

namespace seismic::test {

/// Numbers at whole steps.
class series final : public wavelet {
 public:
  series(std::vector<double> values, double dt_s) : values_(std::move(values)), dt_s_(dt_s) {}
  double at(double time_s) const override {
    const auto n = std::lround(time_s / dt_s_);
    return n < 0 || static_cast<std::size_t>(n) >= values_.size() ? 0 : values_[static_cast<std::size_t>(n)];
  }
  double highest_frequency_hz(double) const override { return 0; }
  double begin_s() const override { return 0; }
  double end_s() const override { return dt_s_ * static_cast<double>(values_.size()); }
  std::string name() const override { return "series"; }

 private:
  std::vector<double> values_;
  double dt_s_;
};

using table_of_series = std::vector<std::vector<double>>;  // of points and steps

struct dot_product_run {
  grid points{{30, 33, 35}, {10, 11, 10}, {}};
  medium ground;
  propagator_options options;
  int steps = 120;
  std::vector<position> sources{{101, 122.5, 88}, {200, 90.3, 240}};
  std::vector<position> receivers{{150.2, 200, 160}, {60, 61, 99.9}, {222, 260, 111}};

  point_weights weights(const position& where) const { return weights_of(where, points, points.whole(), {}, "point"); }

  /// What is recorded at `there` when series drive `here`, on every rank. Collective.
  table_of_series recorded(const nearfar::team& team, const propagator_options& with, const std::vector<position>& here,
                           const table_of_series& driven, const std::vector<position>& there) const {
    propagator waves(team, points, ground, with);
    acquisition what;
    for (std::size_t n = 0; n < here.size(); ++n)
      what.sources.push_back({weights(here[n]), std::make_shared<series>(driven[n], with.dt_s), 1e6, true});
    for (const position& p : there) what.receivers.push_back(weights(p));
    shot now(waves, what);
    // A source of step n is in the field from n + 1 on.
    for (int n = 0; n <= steps; ++n) now.step();
    std::vector<float> flat = now.traces(team);
    flat.resize(there.size() * static_cast<std::size_t>(steps + 1));
    nearfar::bcast(team, flat.data(), static_cast<index_t>(flat.size()), MPI_FLOAT, 0);
    table_of_series all(there.size());
    for (std::size_t r = 0; r < there.size(); ++r)
      all[r].assign(flat.begin() + static_cast<std::ptrdiff_t>(r) * (steps + 1) + 1,
                    flat.begin() + static_cast<std::ptrdiff_t>(r + 1) * (steps + 1));
    return all;
  }
  /// The same in double, by whom says what. Local.
  table_of_series recorded_in_double(const propagator_options& with, const std::vector<position>& here,
                                     const table_of_series& driven, const std::vector<position>& there) const {
    reference_waves waves(points, ground, with);
    table_of_series all(there.size());
    for (std::size_t n = 0; n < static_cast<std::size_t>(steps); ++n) {
      waves.step();
      for (std::size_t r = 0; r < there.size(); ++r) all[r].push_back(waves.read_at(weights(there[r])));
      for (std::size_t s = 0; s < here.size(); ++s) waves.drive(weights(here[s]), driven[s][n]);
    }
    return all;
  }

  /// The difference of the two products, relative to the sizes of what is multiplied: random products are much smaller
  /// than what is summed up in them. `record` is one of the above.
  template <class Record>
  double gap(const Record& record, unsigned seed = 1) const {
    propagator_options transposed = options;
    transposed.is_transposed = true;
    const table_of_series s = random_table(sources.size(), seed), d = random_table(receivers.size(), seed + 1);
    const table_of_series fs = record(options, sources, s, receivers);
    const table_of_series fd = reversed(record(transposed, receivers, reversed(d), sources));
    return std::abs(product(fs, d) - product(s, fd)) / std::sqrt(product(fs, fs) * product(d, d));
  }
  /// Of the program. Collective.
  double gap_of_kernels(const nearfar::team& team, unsigned seed = 1) const {
    return gap([&](const auto&... what) { return recorded(team, what...); }, seed);
  }
  /// Of the scheme. Local.
  double gap_in_double(unsigned seed = 1) const {
    return gap([&](const auto&... what) { return recorded_in_double(what...); }, seed);
  }

  static double product(const table_of_series& a, const table_of_series& b) {
    double sum = 0;
    for (std::size_t n = 0; n < a.size(); ++n)
      for (std::size_t m = 0; m < a[n].size(); ++m) sum += a[n][m] * b[n][m];
    return sum;
  }
  static table_of_series reversed(table_of_series t) {
    for (auto& row : t) std::reverse(row.begin(), row.end());
    return t;
  }
  table_of_series random_table(std::size_t rows, unsigned seed) const {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    table_of_series t(rows, std::vector<double>(static_cast<std::size_t>(steps)));
    for (auto& row : t)
      for (double& value : row) value = static_cast<float>(normal(random));
    return t;
  }
};

}  // namespace seismic::test
