// SPDX-License-Identifier: BSD-3-Clause
// Operations of four publications on up to 4096 ranks: the published way beside Nearfar's best one by the model.
#include "source_tables.hpp"

#include <algorithm>
#include <base/text.hpp>
#include <cmath>
#include <cstdio>
#include <fft/lowering.hpp>
#include <irregular/lowering.hpp>
#include <model/simulation.hpp>
#include <model/workloads.hpp>
#include <nearfar/error.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <transpose/lowering.hpp>

namespace nearfar::command {

namespace {

using json = nlohmann::ordered_json;

/// A way to carry an operation out: its time, what a rank's plan holds, and in words what makes it quick.
struct variant {
  double us = 0;
  index_t plan_bytes = 0;
  std::string words;
};

struct row {
  std::string what;
  node_shape shape;
  variant published, ours;
};

constexpr int sampled_nodes = 3;

variant quickest(const std::vector<variant>& all) {
  return *std::min_element(all.begin(), all.end(), [](const variant& a, const variant& b) { return a.us < b.us; });
}

variant exchanged(const node_shape& shape, const machine_runs& of, const std::vector<exchange::flows_by_rank>& moves,
                  const std::string& method, const char* words) {
  variant w{0, 0, words};
  model::program p{shape, {}};
  for (const int rank : model::sampled_ranks(shape, sampled_nodes)) p.ranks.push_back({rank, {}});
  for (const auto& flows : moves) {
    const model::exchange_workload work(shape, method, flows, sampled_nodes);
    work.append(p.ranks, of.where);
    w.plan_bytes += work.busiest().plan_bytes;
  }
  w.us = model::predict(p, of.where, of.runs).median_us;
  return w;
}

row exchange_row(std::string what, const node_shape& shape, const machine_runs& of,
                 const std::vector<exchange::flows_by_rank>& moves, bool tries_lanes) {
  std::vector<variant> ours{
      exchanged(shape, of, moves, "near-mixed+isend", "near memory, signals between pairs of ranks")};
  if (tries_lanes)
    ours.push_back(exchanged(shape, of, moves, "near-mixed+lanes", "aggregation: one message per pair of nodes"));
  return {std::move(what), shape, exchanged(shape, of, moves, "isend", "messages"), quickest(ours)};
}

/// 2DECOMP&FFT on nodes of 4: transforms of 2592^3 and pencils whose messages are short.
std::vector<row> of_decomp2d(const machine_runs& of) {
  constexpr int per_node = 4;
  std::vector<row> rows;
  for (const int side : {16, 32, 64}) {
    const node_shape shape{side * side, per_node};
    const std::vector<int> grid{side, side};
    const auto moves_of = [=](int rank) {
      fft_layout_options options;
      options.process_grid = grid;
      return fft_flows(fft_layout(modelled_team(shape, rank), fft_shape::complex({2592, 2592, 2592}), options), 8);
    };
    std::vector<exchange::flows_by_rank> moves;
    for (std::size_t i = 0; i < moves_of(0).size(); ++i) moves.emplace_back([=](int r) { return moves_of(r).at(i); });
    rows.push_back(exchange_row("transform of 2592 x 2592 x 2592", shape, of, moves, true));
    const std::vector<index_t> small{128, 128, 128};
    const auto transposed = [=](int rank) {
      const team t = modelled_team(shape, rank);
      return transpose_flows({decomposition::pencil(t, small, 2, {side, side})},
                             {decomposition::pencil(t, small, 1, {side, side})}, 1, 16);
    };
    const index_t block = 128 / side * (128 / side) * (128 / side) * 16;
    rows.push_back(exchange_row(text("pencils of 128 x 128 x 128, ", readable_bytes(block), " to each"), shape, of,
                                {transposed}, true));
  }
  return rows;
}

/// The quickest lowered way of an allreduce in one simulated run; `only_leaders`: of those in which one rank of a node
/// sends.
variant allreduced(const node_shape& shape, const machine_runs& of, const collective::modelled_call& call,
                   bool only_leaders) {
  std::vector<variant> all;
  for (const collective::algorithm& a : collective::algorithms_of(call.what)) {
    const std::string name = a.name;
    const bool has_lanes = name.find("lane") != std::string::npos;
    if (!collective::is_lowered(call.what, name) || !a.serves(collective::setting_of(shape, call))) continue;
    if (only_leaders && has_lanes) continue;
    const model::program p = model::collective_program(shape, call, name, of.where);
    all.push_back({model::simulated_us(p, of.where, 1), a.needs_ring ? collective::ring_bytes : 0,
                   name + (has_lanes ? ": ranks of a node share the exchange" : ": leaders exchange sums")});
  }
  return quickest(all);
}

/// Smith and Bull on nodes of 16: the leaders of nodes, which combine their node's vectors, against all lowered ways.
std::vector<row> of_allreduce(const machine_runs& of) {
  constexpr int per_node = 16;
  std::vector<row> rows;
  for (const int ranks : {64, 512, 4096})
    for (const index_t bytes : {index_t{8}, index_t{32} << 10, index_t{1} << 20}) {
      const node_shape shape{ranks, per_node};
      const collective::modelled_call call{collective::kind::allreduce, bytes, 8};
      rows.push_back({text("allreduce of ", readable_bytes(bytes)), shape, allreduced(shape, of, call, true),
                      allreduced(shape, of, call, false)});
    }
  return rows;
}

/// Korzh's UA of class C on nodes of 4: ghosts of blocks of points, as many as a cube has on its surface, from the
/// blocks around.
std::vector<row> of_ua(const machine_runs& of) {
  constexpr int per_node = 4;
  constexpr index_t points = 4000000, blocks_around = 26;
  std::vector<row> rows;
  for (const int ranks : {128, 512, 2048, 4096}) {
    const node_shape shape{ranks, per_node};
    const index_t own = points / ranks, band = own * blocks_around;
    const auto ghosts = static_cast<index_t>(6 * std::pow(static_cast<double>(own), 2.0 / 3));
    const auto references_of = [=](int rank) {
      std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 1);
      std::vector<index_t> all(as_size(ghosts));
      for (index_t& g : all)
        g = (own * rank + static_cast<index_t>(random() % static_cast<std::uint64_t>(band)) + points - band / 2) %
            points;
      return all;
    };
    rows.push_back(exchange_row(text("gather of ", ghosts, " points"), shape, of,
                                {gather_flows(shape, points, references_of, 8)}, false));
  }
  return rows;
}

/// Fletcher on one node: snapshots of 504^3 points of 4 bytes, written by the ranks or behind their backs.
std::vector<row> of_fletcher(const machine_runs& of) {
  constexpr index_t node_bytes = index_t{504} * 504 * 504 * 4;
  std::vector<row> rows;
  for (const int ranks : {1, 2, 8}) {
    const node_shape shape{ranks, ranks};
    const model::output_step t = model::output_times(shape, node_bytes / ranks, of.where);
    rows.push_back({text("snapshot of ", readable_bytes(node_bytes)),
                    shape,
                    {t.copy_us + t.write_us, 0, "the run writes"},
                    {t.copy_us, node_bytes / ranks, "hidden output, if computing takes as long as writing"}});
  }
  return rows;
}

struct table {
  const char* name;
  std::vector<row> (*rows)(const machine_runs&);
};
constexpr table all_tables[] = {
    {"decomp2d", of_decomp2d}, {"allreduce", of_allreduce}, {"ua", of_ua}, {"fletcher", of_fletcher}};

}  // namespace

bool is_source_table(const std::string& name) {
  return std::any_of(std::begin(all_tables), std::end(all_tables), [&](const table& t) { return name == t.name; });
}

int print_source(const std::string& name, const machine_runs& of, bool is_json) {
  json list = json::array();
  if (!is_json)
    std::printf(
        "| operation | ranks-per node-nodes | published way | Nearfar | times | by | plan of a rank |\n"
        "|---|---|--:|--:|--:|---|--:|\n");
  for (const table& t : all_tables) {
    if (name != t.name) continue;
    for (const row& r : t.rows(of)) {
      const std::string place = text(r.shape.ranks, "-", r.shape.per_node, "-", r.shape.nodes());
      list.push_back({{"what", r.what},
                      {"place", place},
                      {"published_us", r.published.us},
                      {"nearfar_us", r.ours.us},
                      {"by", r.ours.words},
                      {"plan_bytes", r.ours.plan_bytes}});
      if (!is_json)
        std::printf("| %s | %s | %s | %s | %.2f | %s | %s |\n", r.what.c_str(), place.c_str(),
                    readable_time(1e-6 * r.published.us).c_str(), readable_time(1e-6 * r.ours.us).c_str(),
                    r.published.us / r.ours.us, r.ours.words.c_str(),
                    r.ours.plan_bytes == 0 ? "-" : readable_bytes(r.ours.plan_bytes).c_str());
    }
  }
  if (is_json) std::printf("%s\n", list.dump(2).c_str());
  return 0;
}

}  // namespace nearfar::command
