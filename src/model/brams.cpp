// SPDX-License-Identifier: BSD-3-Clause
// The step of BRAMS as a program: twelve exchanges of a leapfrog step with four acoustic steps, computing in between.
#include <algorithm>
#include <array>
#include <base/even_blocks.hpp>
#include <base/text.hpp>
#include <cmath>
#include <halo/lowering.hpp>
#include <memory>
#include <model/brams.hpp>
#include <model/workloads.hpp>
#include <nearfar/error.hpp>
#include <numeric>

namespace nearfar::model {

namespace {

constexpr index_t columns_per_side = 100, levels = 38, real_bytes = 4;
constexpr int steps_of_a_run = 1440;

/// An exchange: its ghosts, fields, and how often it comes in a step.
struct phase {
  ghosts widths;
  index_t fields;
  int times;
};

/// U, V and pressure of the acoustic steps go one way each; the last small step and the long step fill whole frames.
const std::vector<phase>& phases() {
  static const std::vector<phase> all{{{{0, 0}, {1, 0}}, 1, 3},
                                      {{{1, 0}, {0, 0}}, 1, 3},
                                      {{{0, 1}, {0, 1}}, 1, 3},
                                      {{{1, 0}, {1, 0}}, 2, 1},
                                      {1, 2, 1},
                                      {1, 20, 1}};
  return all;
}

/// Rows of blocks whose cuts do not go through, ranks numbered along a row: BRAMS's own decomposition.
std::vector<box> brams_tiles(int ranks) {
  const int slabs = std::max(1, static_cast<int>(std::lround(std::sqrt(ranks))));
  const even_blocks per_slab{ranks, slabs}, rows{columns_per_side, slabs};
  std::vector<box> tiles;
  for (int s = 0; s < slabs; ++s) {
    const even_blocks across{columns_per_side, static_cast<int>(per_slab.size(s))};
    for (int b = 0; b < across.blocks; ++b)
      tiles.push_back({2, {rows.first(s), across.first(b)}, {rows.first(s + 1), across.first(b + 1)}});
  }
  return tiles;
}

enum class variant { plain, hybrid, nearfar };

/// The exchanges of one variant, and the columns of each sampled rank.
class step {
 public:
  step(const node_shape& shape, variant which, const std::string& method, bool has_node_tiles)
      : shape_(shape), which_(which) {
    for (const phase& p : phases()) {
      halo_request r{{columns_per_side, columns_per_side}, {}, p.widths, stencil::box, levels * real_bytes, p.fields};
      r.cut.placement = has_node_tiles ? placement::node_tiles : placement::rank_order;
      r.cut.allow_idle = true;
      const auto cut = which == variant::nearfar
                           ? std::make_shared<halo_lowering>(shape, std::move(r))
                           : std::make_shared<halo_lowering>(shape, std::move(r), brams_tiles(shape.ranks));
      exchanges_.emplace_back(shape, method, [cut](int rank) { return cut->flows_of(rank); });
      if (exchanges_.size() > 1) continue;
      for (const int rank : exchanges_.front().ranks()) columns_.push_back(static_cast<double>(cut->own(rank).cells()));
    }
  }

  /// Microseconds of one step among many: of few ranks more are run, which meet as many interruptions.
  double us(const machine& m, double column_us, std::uint64_t seed) const {
    constexpr int enough_ranks = 2000, least_steps = 2, most_steps = 30;
    const int steps = std::clamp(enough_ranks / shape_.ranks, least_steps, most_steps);
    program p{shape_, {}};
    for (const int rank : exchanges_.front().ranks()) p.ranks.push_back({rank, {}});
    for (int s = 0; s < steps; ++s)
      for (std::size_t i = 0; i < exchanges_.size(); ++i)
        for (int k = 0; k < phases()[i].times; ++k) append(p, m, exchanges_[i], column_us);
    return simulated_mean_us(p, m, seed) / steps;
  }

  long long plan_bytes() const {
    long long sum = 0;
    for (const exchange_workload& w : exchanges_) sum += w.busiest().plan_bytes;
    return sum;
  }

 private:
  void append(program& p, const machine& m, const exchange_workload& w, double column_us) const {
    const auto meet = [&] {
      if (which_ != variant::hybrid) return;
      for (rank_program& r : p.ranks) r.operations.push_back(node_barrier(m.near.barrier_round_us));
    };
    for (std::size_t i = 0; i < p.ranks.size(); ++i)
      p.ranks[i].operations.push_back(
          {.what = action::compute, .us = columns_[i] * column_us / exchanges_of_a_brams_step()});
    meet();
    w.append(p.ranks, m);
    meet();
  }

  node_shape shape_;
  variant which_;
  std::vector<exchange_workload> exchanges_;
  std::vector<double> columns_;
};

step plain_step(const node_shape& shape) { return {shape, variant::plain, "isend", false}; }
step hybrid_step(const node_shape& shape) { return {shape, variant::hybrid, "node-barrier+isend", false}; }

/// Of the waits at barriers of a node whose cores are all taken.
double share_of_waits(const machine& m, int per_node) {
  return m.variation.cores > per_node ? m.variation.spare_share : 1;
}

double step_us(double seconds) { return 1e6 * seconds / steps_of_a_run; }

/// The column's time that makes two plain rows differ as they do: nearly linear, so that secants find it.
double column_us_between(const std::array<step, 2>& rows, const machine& m, double difference_us) {
  const auto excess = [&](double column_us) {
    return rows[0].us(m, column_us, 1) - rows[1].us(m, column_us, 1) - difference_us;
  };
  double low = 10, at_low = excess(low), high = 100, at_high = excess(high);
  for (int i = 0; i < 4 && std::abs(at_high - at_low) > 1e-9; ++i) {
    const double next = std::max(1e-3, high - at_high * (high - low) / (at_high - at_low));
    low = high, at_low = at_high;
    high = next, at_high = excess(high);
    if (std::abs(at_high) < 1e-4 * std::abs(difference_us)) break;
  }
  return high;
}

}  // namespace

const std::vector<brams_row>& brams_rows() {
  static const std::vector<brams_row> all{{2, 2, 462.25, 459.46},   {4, 4, 223.89, 231.94},  {8, 8, 115.26, 112.11},
                                          {16, 16, 67.17, 67.13},   {32, 32, 43.39, 40.27},  {44, 44, 38.14, 33.15},
                                          {64, 32, 31.61, 34.86},   {128, 32, 46.93, 48.87}, {256, 32, 16.41, 17.18},
                                          {352, 44, 25.81, 16.62},  {512, 32, 19.07, 15.36}, {704, 44, 26.56, 16.64},
                                          {1024, 32, 23.17, 15.60}, {1408, 44, 24.04, 17.23}};
  return all;
}

int exchanges_of_a_brams_step() {
  return std::accumulate(phases().begin(), phases().end(), 0, [](int sum, const phase& p) { return sum + p.times; });
}

brams_fit fit_brams(const machine& m, std::size_t first, std::size_t second) {
  const auto& rows = brams_rows();
  if (first == second || first >= rows.size() || second >= rows.size())
    throw usage_error(
        text("the fit takes two different rows of 0 to ", rows.size() - 1, ", not ", first, " and ", second));
  const brams_row &a = rows[first], &b = rows[second];
  const std::array<step, 2> plain{plain_step({a.ranks, a.per_node}), plain_step({b.ranks, b.per_node})};
  brams_fit fit{0, 0, 0, m};
  fit.where.variation.detour_hz = 0;  // what they cost is in what is fitted
  const double column_us = column_us_between(plain, fit.where, step_us(a.plain_s - b.plain_s));
  fit.column_ms = 1e-3 * column_us;
  fit.serial_ms = 1e-3 * (step_us(a.plain_s) - plain[0].us(fit.where, column_us, 1));
  double waits_us = 0;
  for (const brams_row* r : {&a, &b}) waits_us += step_us(r->hybrid_s - r->plain_s) / share_of_waits(m, r->per_node);
  fit.barrier_ms = 1e-3 * waits_us / 2;
  return fit;
}

brams_prediction predict_brams(const brams_fit& fit, int ranks, int per_node, int runs) {
  const node_shape shape{ranks, per_node};
  const double serial_us = 1e3 * fit.serial_ms, column_us = 1e3 * fit.column_ms;
  const auto times = [&](const step& s, double waits_us = 0) {
    std::vector<double> all;
    for (int i = 0; i < runs; ++i)
      all.push_back(1e-6 * steps_of_a_run *
                    (serial_us + waits_us + s.us(fit.where, column_us, static_cast<std::uint64_t>(i + 1))));
    return quantiles(std::move(all));
  };
  struct choice {
    const char *words, *method;
    bool has_node_tiles;
  };
  constexpr choice choices[] = {{"near memory, pairs of ranks", "near-mixed+isend", false},
                                {"near memory, node tiles", "near-mixed+isend", true},
                                {"node tiles, one message per pair of nodes", "near-mixed+lanes", true}};
  brams_prediction p;
  p.plain_s = times(plain_step(shape)),
  p.hybrid_s = times(hybrid_step(shape), 1e3 * fit.barrier_ms * share_of_waits(fit.where, per_node));
  for (const choice& w : choices) {
    if (shape.nodes() == 1 && w.has_node_tiles) continue;
    const step s(shape, variant::nearfar, w.method, w.has_node_tiles);
    const prediction t = times(s);
    if (!p.lever.empty() && t.median_us >= p.nearfar_s.median_us) continue;
    p.nearfar_s = t, p.lever = w.words, p.plan_bytes = s.plan_bytes();
  }
  p.output_s = p.nearfar_s.median_us - 1e-6 * steps_of_a_run * serial_us;
  return p;
}

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto ranks_of = [](const std::vector<double>& values) {
    std::vector<double> ranks;
    for (const double v : values) {
      double below = 0, equal = 0;
      for (const double w : values) below += w < v ? 1 : 0, equal += w == v ? 1 : 0;
      ranks.push_back(below + (equal + 1) / 2);
    }
    return ranks;
  };
  const std::vector<double> x = ranks_of(a), y = ranks_of(b);
  const double mean = (static_cast<double>(x.size()) + 1) / 2;
  double both = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    both += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean), yy += (y[i] - mean) * (y[i] - mean);
  }
  return both / std::sqrt(xx * yy);
}

}  // namespace nearfar::model
