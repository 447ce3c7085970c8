// SPDX-License-Identifier: BSD-3-Clause
// nearfar model: a plan on a machine that is not here: messages, bytes, memory, time.
#include <base/text.hpp>
#include <cstdio>
#include <fft/lowering.hpp>
#include <fstream>
#include <functional>
#include <halo/lowering.hpp>
#include <iostream>
#include <irregular/lowering.hpp>
#include <memory>
#include <model/export.hpp>
#include <model/simulation.hpp>
#include <model/workloads.hpp>
#include <nearfar/error.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <transpose/lowering.hpp>

#include "arguments.hpp"
#include "tables.hpp"

namespace nearfar::command {

namespace {

using json = nlohmann::ordered_json;

constexpr const char* model_usage =
    "usage: nearfar model halo --grid 100x100 --ranks N --per-node M [--ghosts 1] [--fields 1] [--star] [--periodic]\n"
    "                          [--node-tiles] [--process-grid AxB]\n"
    "       nearfar model transpose|fft --grid 64x64x64 --ranks N --per-node M [--process-grid AxB] [--fields 1]\n"
    "       nearfar model irregular --elements E --references R --ranks N --per-node M [--band B]\n"
    "       nearfar model output --bytes B --ranks N --per-node M          (bytes of one rank in one step)\n"
    "       nearfar model KIND --bytes B --ranks N --per-node M            (barrier, allreduce, bcast, ...)\n"
    "       nearfar model --table brams|decomp2d|fletcher|ua|allreduce|memory [--rows 5,13]\n"
    "\n"
    "  --machine FILE        costs (TOML; see docs/model.md); else those of a cluster of today\n"
    "  --method NAME         as in NEARFAR_METHOD; else near-mixed+isend, or the default of the collective\n"
    "  --element-bytes 8     of elements\n"
    "  --nodes 64            nodes whose ranks are looked at\n"
    "  --runs 51             of which median and interval (5 to 95 %) are taken\n"
    "  --goal FILE           writes the messages as GOAL, for LogGOPSim and ATLAHS\n"
    "  --trace FILE          writes one run as trace events, for Perfetto\n"
    "  --otf2 FOLDER         the same as an OTF2 archive, for Vampir and others\n";

node_shape shape_in(const arguments& a) {
  if (!a.has("ranks") || !a.has("per-node")) throw usage_error("--ranks and --per-node say what machine is meant");
  constexpr index_t most = 1 << 24;
  const index_t ranks = a.number_or("ranks", 1, 1, most), per_node = a.number_or("per-node", 1, 1, most);
  return {static_cast<int>(ranks), static_cast<int>(std::min(per_node, ranks))};
}

std::vector<int> process_grid_in(const arguments& a) {
  constexpr index_t most = 1 << 24;
  const std::vector<index_t> list = a.list_or("process-grid", {}, 'x', 1, most);
  return {list.begin(), list.end()};
}

/// Of so many cells with all their fields, so that no sum of bytes is too large for its type.
void require_countable(const std::string& what, double cells, double bytes_per_cell) {
  constexpr double most = 0x1p60;
  if (cells * bytes_per_cell > most)
    throw usage_error(text(what, " are more than 2^60 bytes with all fields, and not modelled"));
}

/// The extents of --grid, whose cells all have so many bytes.
std::vector<index_t> grid_in(const arguments& a, std::size_t least_axes, double bytes_per_cell) {
  const std::vector<index_t> extents = a.extents("grid");
  if (extents.size() < least_axes)
    throw usage_error(text("--grid takes ", least_axes, " extents or more here, not ", extents.size()));
  double cells = 1;
  for (const index_t n : extents) cells *= static_cast<double>(n);
  require_countable(text("the cells of --grid ", a.text_or("grid", "")), cells, bytes_per_cell);
  return extents;
}

index_t element_bytes_in(const arguments& a) { return a.number_or("element-bytes", 8); }
index_t fields_in(const arguments& a) { return a.number_or("fields", 1); }
double cell_bytes_in(const arguments& a) {
  return static_cast<double>(element_bytes_in(a)) * static_cast<double>(fields_in(a));
}

/// One operation after the other, of the same method.
struct asked {
  std::string what, method;
  node_shape shape;
  std::vector<exchange::flows_by_rank> moves;
};

halo_request halo_in(const arguments& a) {
  halo_request r;
  r.extents = grid_in(a, 1, cell_bytes_in(a));
  r.widths = ghosts(a.count_or("ghosts", 1));
  r.shape = a.has("star") ? stencil::star : stencil::box;
  r.element_bytes = element_bytes_in(a), r.fields = fields_in(a);
  r.cut.periodic.assign(r.extents.size(), a.has("periodic"));
  r.cut.process_grid = process_grid_in(a);
  r.cut.placement = a.has("node-tiles") ? placement::node_tiles : placement::rank_order;
  return r;
}

exchange::flows_by_rank transpose_in(const arguments& a, const node_shape& shape) {
  const std::vector<index_t> extents = grid_in(a, 2, cell_bytes_in(a));
  const auto grid = process_grid_in(a);
  const index_t fields = fields_in(a), element_bytes = element_bytes_in(a);
  const int last = static_cast<int>(extents.size()) - 1;
  return [=](int rank) {
    const team members = modelled_team(shape, rank);
    return transpose_flows({decomposition::pencil(members, extents, last, grid)},
                           {decomposition::pencil(members, extents, last - 1, grid)}, fields, element_bytes);
  };
}

std::vector<exchange::flows_by_rank> fft_in(const arguments& a, const node_shape& shape) {
  const index_t real_bytes = element_bytes_in(a);
  const auto extents = grid_in(a, 2, 2 * static_cast<double>(real_bytes));
  const auto grid = process_grid_in(a);
  const auto of_rank = [=](int rank) {
    fft_layout_options options;
    options.process_grid = grid;
    return fft_flows(fft_layout(modelled_team(shape, rank), fft_shape::complex(extents), options), real_bytes);
  };
  std::vector<exchange::flows_by_rank> moves;
  for (std::size_t i = 0; i < of_rank(0).size(); ++i) moves.emplace_back([=](int rank) { return of_rank(rank).at(i); });
  return moves;
}

/// References of a rank: at random to all elements, or within a band around its own ones.
exchange::flows_by_rank references_in(const arguments& a, const node_shape& shape) {
  constexpr index_t most_elements = index_t{1} << 40, most_references = index_t{1} << 30;
  const index_t elements = a.number_or("elements", 1000000, 1, most_elements);
  const index_t references = a.number_or("references", 10000, 1, most_references / shape.ranks);
  const index_t band = a.number_or("band", elements, 1, elements), element_bytes = element_bytes_in(a);
  require_countable("--elements", static_cast<double>(elements), static_cast<double>(element_bytes));
  const auto references_of = [=](int rank) {
    std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 1);
    const index_t middle = elements / shape.ranks * rank;
    std::vector<index_t> all(static_cast<std::size_t>(references));
    for (index_t& g : all) {
      const auto step = static_cast<index_t>(random() % static_cast<std::uint64_t>(band));
      g = (middle + step - band / 2 + elements) % elements;
    }
    return all;
  };
  return gather_flows(shape, elements, references_of, element_bytes);
}

void write_file(const std::string& name, const std::function<void(std::ostream&)>& write) {
  std::ofstream out(name);
  write(out);
  if (!out.flush()) throw io_error(text(name, " cannot be written"));
}

void write_exports(const arguments& a, const model::program& p, const model::machine& m) {
  if (a.has("goal")) write_file(a.text_or("goal", ""), [&](std::ostream& out) { model::write_goal(p, out); });
  if (a.has("trace")) write_file(a.text_or("trace", ""), [&](std::ostream& out) { model::write_trace(p, m, out); });
  if (a.has("otf2")) model::write_otf2(p, m, a.text_or("otf2", ""));
}

json as_json(const model::prediction& p) {
  return {{"median_us", p.median_us}, {"low_us", p.low_us}, {"high_us", p.high_us}};
}

void print(const arguments& a, const json& all) {
  if (a.is_json()) {
    std::printf("%s\n", all.dump(2).c_str());
    return;
  }
  for (const auto& [name, value] : all.items()) {
    if (!value.is_object()) {
      std::printf("%-18s %s\n", name.c_str(),
                  value.is_string() ? value.get<std::string>().c_str() : value.dump().c_str());
    } else {
      std::printf("%-18s %s, %s to %s in 90 %% of the runs\n", name.c_str(),
                  readable_time(1e-6 * value["median_us"].get<double>()).c_str(),
                  readable_time(1e-6 * value["low_us"].get<double>()).c_str(),
                  readable_time(1e-6 * value["high_us"].get<double>()).c_str());
    }
  }
}

json about(const node_shape& shape, const std::string& what, const std::string& method, const model::machine& m) {
  return {{"what", what},           {"ranks", shape.ranks}, {"per_node", shape.per_node},
          {"nodes", shape.nodes()}, {"method", method},     {"machine", m.name}};
}

int model_exchanges(const arguments& a, const asked& ask, const model::machine& m) {
  const int nodes = a.count_or("nodes", 64), runs = a.count_or("runs", 51);
  model::program p{ask.shape, {}};
  for (const int rank : model::sampled_ranks(ask.shape, nodes)) p.ranks.push_back({rank, {}});
  model::rank_traffic sum;
  for (const auto& flows : ask.moves) {
    const model::exchange_workload w(ask.shape, ask.method, flows, nodes);
    w.append(p.ranks, m);
    const model::rank_traffic t = w.busiest();
    sum.far_messages += t.far_messages, sum.near_messages += t.near_messages, sum.near_flows += t.near_flows;
    sum.far_bytes += t.far_bytes, sum.near_bytes += t.near_bytes, sum.plan_bytes += t.plan_bytes;
  }
  json all = about(ask.shape, ask.what, ask.method, m);
  all["sampled_ranks"] = p.ranks.size();
  all["far_messages"] = sum.far_messages, all["far_bytes"] = sum.far_bytes;
  all["near_messages"] = sum.near_messages, all["near_copies"] = sum.near_flows, all["near_bytes"] = sum.near_bytes;
  all["plan_bytes"] = sum.plan_bytes;
  all["time"] = as_json(model::predict(p, m, runs));
  print(a, all);
  write_exports(a, p, m);
  return 0;
}

int model_collective(const arguments& a, collective::kind kind, const node_shape& shape, const model::machine& m) {
  constexpr double most_blocks = 0x1p26, block_bytes = 0x1p15;
  const collective::modelled_call call{kind, a.number_or("bytes", 8, 0), element_bytes_in(a)};
  if (static_cast<double>(call.bytes) / block_bytes * shape.ranks > most_blocks)
    throw usage_error(text("--bytes ", call.bytes, " on ", shape.ranks,
                           " ranks makes more messages than are modelled: ", "at most ",
                           static_cast<index_t>(most_blocks * block_bytes) / shape.ranks, " bytes"));
  if (call.bytes % call.element_bytes != 0)
    throw usage_error(text("--bytes ", call.bytes, " is no multiple of --element-bytes ", call.element_bytes));
  const std::string method = a.text_or("method", collective::default_method(shape, call));
  if (shape.nodes() > 1 && !collective::is_lowered(kind, method)) {
    std::string names;
    for (const collective::algorithm& each : collective::algorithms_of(kind))
      if (collective::is_lowered(kind, each.name) && each.serves(collective::setting_of(shape, call)))
        names += text(names.empty() ? "" : ", ", each.name);
    throw usage_error(text(name_of(kind), " of ", call.bytes, " bytes goes by '", method,
                           "', whose messages are not modelled; --method may be one of: ", names));
  }
  const model::program p = model::collective_program(shape, call, method, m);
  index_t messages = 0, bytes = 0;
  for (const model::rank_program& r : p.ranks) {
    index_t own = 0, own_bytes = 0;
    for (const model::operation& o : r.operations)
      if (o.what == model::action::send) own += 1, own_bytes += o.bytes;
    messages = std::max(messages, own), bytes = std::max(bytes, own_bytes);
  }
  json all = about(shape, name_of(kind), method, m);
  all["bytes"] = call.bytes, all["far_messages"] = messages, all["far_bytes"] = bytes;
  all["time"] = as_json(model::predict(p, m, a.count_or("runs", 51)));
  print(a, all);
  write_exports(a, p, m);
  return 0;
}

int model_output(const arguments& a, const node_shape& shape, const model::machine& m) {
  const index_t bytes = a.number_or("bytes", 1 << 20, 0, arguments::most_number / shape.ranks);
  const model::output_step t = model::output_times(shape, bytes, m);
  json all = about(shape, "output", "one writer per node", m);
  all["bytes"] = bytes, all["waits_us"] = t.copy_us, all["writers_us"] = t.write_us;
  print(a, all);
  return 0;
}

std::optional<collective::kind> kind_named(const std::string& name) {
  for (std::size_t k = 0; k < collective::kinds; ++k)
    if (name == name_of(static_cast<collective::kind>(k))) return static_cast<collective::kind>(k);
  return std::nullopt;
}

}  // namespace

int run_model(const std::vector<std::string>& words) {
  const arguments a(words, {"grid",          "ranks",        "per-node", "machine",  "method",     "ghosts", "fields",
                            "element-bytes", "process-grid", "bytes",    "elements", "references", "band",   "nodes",
                            "runs",          "goal",         "trace",    "otf2",     "table",      "rows"},
                    {"star", "periodic", "node-tiles"}, 1);
  if (a.has("help")) return std::printf("%s", model_usage) < 0;
  const model::machine m = a.has("machine") ? model::read_machine(a.text_or("machine", "")) : model::machine{};
  if (a.has("table")) return print_table(a, m);
  if (a.others().size() != 1)
    throw usage_error("say one of halo, transpose, fft, irregular, output or a collective call");
  const std::string what = a.others().front();
  const node_shape shape = shape_in(a);
  if (const auto kind = kind_named(what); kind) return model_collective(a, *kind, shape, m);
  if (what == "output") return model_output(a, shape, m);
  asked ask{what, a.text_or("method", "near-mixed+isend"), shape, {}};
  if (what == "halo") {
    const auto cut = std::make_shared<halo_lowering>(shape, halo_in(a));
    ask.moves.emplace_back([cut](int rank) { return cut->flows_of(rank); });
  } else if (what == "transpose") {
    ask.moves.push_back(transpose_in(a, shape));
  } else if (what == "fft") {
    ask.moves = fft_in(a, shape);
  } else if (what == "irregular") {
    ask.moves.push_back(references_in(a, shape));
  } else {
    throw usage_error(text("there is no model of '", what,
                           "'; there are halo, transpose, fft, irregular, output and collective calls by name"));
  }
  return model_exchanges(a, ask, m);
}

}  // namespace nearfar::command
