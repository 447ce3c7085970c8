// SPDX-License-Identifier: BSD-3-Clause
// The published table of BRAMS beside its prediction, and the memory of plans by number of ranks.
#include "tables.hpp"

#include <base/text.hpp>
#include <cmath>
#include <cstdio>
#include <fft/lowering.hpp>
#include <halo/lowering.hpp>
#include <model/brams.hpp>
#include <model/workloads.hpp>
#include <nearfar/error.hpp>
#include <nlohmann/json.hpp>
#include <transpose/lowering.hpp>

#include "source_tables.hpp"

namespace nearfar::command {

namespace {

using json = nlohmann::ordered_json;

double error_percent(double predicted, double published) { return 100 * (predicted / published - 1); }

std::string interval(const model::prediction& p) {
  char words[64];
  std::snprintf(words, sizeof words, "%.1f (%.1f to %.1f)", p.median_us, p.low_us, p.high_us);
  return words;
}

struct verdict {
  std::vector<double> predicted, published;  ///< hybrid / plain
  double plain_error = 0, hybrid_error = 0;  ///< means of absolute values
  int inside = 0, same_winner = 0;

  void add(const model::brams_row& row, const model::brams_prediction& p) {
    predicted.push_back(p.hybrid_s.median_us / p.plain_s.median_us);
    published.push_back(row.hybrid_s / row.plain_s);
    plain_error += std::abs(error_percent(p.plain_s.median_us, row.plain_s));
    hybrid_error += std::abs(error_percent(p.hybrid_s.median_us, row.hybrid_s));
    inside += row.plain_s >= p.plain_s.low_us && row.plain_s <= p.plain_s.high_us ? 1 : 0;
    same_winner += (predicted.back() < 1) == (published.back() < 1) ? 1 : 0;
  }
};

void print_row(const model::brams_row& row, const model::brams_prediction& p, const std::string& place,
               bool is_fitted) {
  if (row.plain_s > 0)
    std::printf("| %s%s | %.2f | %s | %+.0f %% | %.2f | %s | %+.0f %% | %.1f | %s | %.0f kB |\n", place.c_str(),
                is_fitted ? " (fit)" : "", row.plain_s, interval(p.plain_s).c_str(),
                error_percent(p.plain_s.median_us, row.plain_s), row.hybrid_s, interval(p.hybrid_s).c_str(),
                error_percent(p.hybrid_s.median_us, row.hybrid_s), p.nearfar_s.median_us, p.lever.c_str(),
                1e-3 * static_cast<double>(p.plan_bytes));
  else
    std::printf("| %s | | %s | | | %s | | %.1f | %s | %.0f kB |\n", place.c_str(), interval(p.plain_s).c_str(),
                interval(p.hybrid_s).c_str(), p.nearfar_s.median_us, p.lever.c_str(),
                1e-3 * static_cast<double>(p.plan_bytes));
}

json as_json(const model::prediction& p) {
  return {{"median_s", p.median_us}, {"low_s", p.low_us}, {"high_s", p.high_us}};
}

/// "5,13": numbers of the rows that are fitted.
std::pair<std::size_t, std::size_t> fitted_rows(const arguments& a) {
  const std::vector<index_t> rows = a.list_or("rows", {5, 13}, ',', 0, as_index(model::brams_rows().size()) - 1);
  if (rows.size() != 2) throw usage_error(text("--rows takes two numbers of rows, as in 5,13, not ", rows.size()));
  return {as_size(rows[0]), as_size(rows[1])};
}

int print_brams(const arguments& a, const model::machine& m) {
  const auto [first, second] = fitted_rows(a);
  const int runs = a.count_or("runs", 5);
  const model::brams_fit fit = model::fit_brams(m, first, second);
  std::vector<model::brams_row> rows = model::brams_rows();
  const std::size_t published = rows.size();
  rows.push_back({2048, 32}), rows.push_back({4096, 32});
  verdict v;
  json all = {{"machine", m.name},
              {"serial_ms", fit.serial_ms},
              {"column_ms", fit.column_ms},
              {"barrier_ms", fit.barrier_ms},
              {"rows", json::array()}};
  if (!a.is_json())
    std::printf(
        "| ranks-per node-nodes | messages, s | predicted | error | hybrid, s | predicted | error | Nearfar, s | "
        "by | plans of a rank |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const model::brams_row& row = rows[i];
    const bool is_fitted = i == first || i == second;
    const model::brams_prediction p = model::predict_brams(fit, row.ranks, row.per_node, runs);
    if (i < published && !is_fitted) v.add(row, p);
    const std::string place = text(row.ranks, "-", row.per_node, "-", row.ranks / row.per_node);
    if (!a.is_json()) print_row(row, p, place, is_fitted);
    all["rows"].push_back({{"place", place},
                           {"fitted", is_fitted},
                           {"plain_s", row.plain_s},
                           {"hybrid_s", row.hybrid_s},
                           {"plain", as_json(p.plain_s)},
                           {"hybrid", as_json(p.hybrid_s)},
                           {"nearfar", as_json(p.nearfar_s)},
                           {"by", p.lever},
                           {"plan_bytes", p.plan_bytes}});
  }
  const auto count = static_cast<double>(v.published.size());
  const double correlation = model::rank_correlation(v.predicted, v.published);
  all["mean_error_plain"] = v.plain_error / count, all["mean_error_hybrid"] = v.hybrid_error / count;
  all["rank_correlation_of_ratios"] = correlation;
  all["same_winner"] = v.same_winner, all["inside_interval"] = v.inside;
  if (a.is_json()) return std::printf("%s\n", all.dump(2).c_str()) < 0;
  std::printf(
      "\nFitted: %.2f ms of each step whatever the ranks, %.4f ms per column of the busiest rank, %.2f "
      "ms of waits at barriers where all cores are taken.\n"
      "Of the %.0f other rows: mean absolute error %.0f %% (messages) and %.0f %% (hybrid); who wins is right in "
      "%d; the ratios hybrid / messages have rank correlation %.2f; %d times by messages lie in their interval.\n",
      fit.serial_ms, fit.column_ms, fit.barrier_ms, count, v.plain_error / count, v.hybrid_error / count, v.same_winner,
      correlation, v.inside);
  return 0;
}

/// Bytes of the busiest sampled rank's plan.
long long plan_bytes(const node_shape& shape, const std::vector<exchange::flows_by_rank>& moves) {
  long long sum = 0;
  for (const auto& flows : moves)
    sum += model::exchange_workload(shape, "near-mixed+isend", flows, 3).busiest().plan_bytes;
  return sum;
}

int print_memory(const arguments& a) {
  json all = json::array();
  if (!a.is_json())
    std::printf(
        "| ranks, 32 per node | halo 2592 x 2592, 1 ghost | pencils of 2592^3 | transform of 2592^3 |\n"
        "|---|---|---|---|\n");
  for (const int ranks : {256, 512, 1024, 2048, 4096}) {
    const node_shape shape{ranks, 32};
    const auto cut = std::make_shared<halo_lowering>(shape, halo_request{{2592, 2592}, {}, 1});
    const std::vector<index_t> cube{2592, 2592, 2592};
    const auto transposed = [&](int rank) {
      const team t = modelled_team(shape, rank);
      return transpose_flows({decomposition::pencil(t, cube, 2)}, {decomposition::pencil(t, cube, 1)}, 1, 16);
    };
    const auto moves_of = [&](int rank) {
      return fft_flows(fft_layout(modelled_team(shape, rank), fft_shape::complex(cube)), 8);
    };
    std::vector<exchange::flows_by_rank> moves;
    for (std::size_t i = 0; i < moves_of(0).size(); ++i)
      moves.emplace_back([&, i](int r) { return moves_of(r).at(i); });
    const json row = {{"ranks", ranks},
                      {"halo", plan_bytes(shape, {[&](int r) { return cut->flows_of(r); }})},
                      {"transpose", plan_bytes(shape, {transposed})},
                      {"fft", plan_bytes(shape, moves)}};
    all.push_back(row);
    if (!a.is_json())
      std::printf("| %d | %s | %s | %s |\n", ranks, readable_bytes(row["halo"].get<index_t>()).c_str(),
                  readable_bytes(row["transpose"].get<index_t>()).c_str(),
                  readable_bytes(row["fft"].get<index_t>()).c_str());
  }
  if (a.is_json()) std::printf("%s\n", all.dump(2).c_str());
  return 0;
}

}  // namespace

int print_table(const arguments& a, const model::machine& m) {
  const std::string name = a.text_or("table", "");
  if (name == "brams") return print_brams(a, m);
  if (name == "memory") return print_memory(a);
  if (is_source_table(name)) return print_source(name, {m, a.count_or("runs", 5)}, a.is_json());
  throw usage_error(text("there is no table '", name, "'; there are brams, decomp2d, fletcher, ua, allreduce, memory"));
}

}  // namespace nearfar::command
