// SPDX-License-Identifier: BSD-3-Clause
// Ranks reduce their numbers; the root writes.
#include <sys/resource.h>

#include <algorithm>
#include <app/json_report.hpp>
#include <common/agreement.hpp>
#include <common/own_file.hpp>
#include <element/kernels.hpp>
#include <mortar/traffic.hpp>
#include <nearfar/collective.hpp>
#include <nlohmann/json.hpp>

namespace adaptive_heat {
namespace {

using json = nlohmann::ordered_json;

/// One rank's numbers by name, to be compared over the ranks.
using named_numbers = std::vector<std::pair<const char*, double>>;

json over_ranks(const nearfar::team& members, const named_numbers& own) {
  std::vector<double> least, sum;
  for (const auto& n : own) least.push_back(n.second);
  std::vector<double> most = sum = least;
  nearfar::allreduce(members, nearfar::in_place, std::span<double>(least), nearfar::reduce_op::min);
  nearfar::allreduce(members, nearfar::in_place, std::span<double>(sum), nearfar::reduce_op::sum);
  nearfar::allreduce(members, nearfar::in_place, std::span<double>(most), nearfar::reduce_op::max);
  json all = json::object();
  for (std::size_t i = 0; i < own.size(); ++i)
    all[own[i].first] = {{"min", least[i]}, {"avg", sum[i] / members.size()}, {"max", most[i]}};
  return all;
}

named_numbers phases_of(const run_result& r) {
  const phase_times& t = r.own;
  const adaptation_times& a = r.adaptation;
  return {{"total", t.total},
          {"convection", t.convection},
          {"diffusion", t.diffusion},
          {"adaptation", t.adaptation},
          {"adaptation.refinement", a.refinement},
          {"adaptation.repartition", a.repartition},
          {"adaptation.ghosts", a.ghosts},
          {"adaptation.interpolation", a.interpolation},
          {"adaptation.numbering", a.numbering},
          {"adaptation.inspection", a.inspection},
          {"adaptation.elements", a.elements},
          {"adaptation.preconditioner", a.preconditioner},
          {"writing", t.writing}};
}

using counts = std::vector<std::int64_t>;

/// What this rank sends in one sum over the ranks. In the form copies every copy gets the others' parts; in the other
/// forms owners get contributions, and with assembly send sums back.
named_numbers sent_per_sum(const nearfar::team& members, const mortar_exchange& exchange) {
  const counts mine = values_by_owner(members, exchange);
  counts theirs(mine.size());
  nearfar::alltoall(members, std::span<const std::int64_t>(mine), std::span<std::int64_t>(theirs));
  double messages = 0, values = 0, far_messages = 0, far_values = 0;
  const auto add = [&](const counts& sent) {
    for (std::size_t r = 0; r < sent.size(); ++r) {
      const double m = sent[r] > 0 ? 1 : 0, v = static_cast<double>(sent[r]);
      messages += m, values += v;
      if (!members.is_near(static_cast<int>(r))) far_messages += m, far_values += v;
    }
  };
  if (exchange.form() != exchange_form::copies) add(mine);
  if (has_copies(exchange.form())) add(theirs);
  return {{"messages", messages}, {"bytes", 8 * values}, {"far_messages", far_messages}, {"far_bytes", 8 * far_values}};
}

double peak_bytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return 1024.0 * static_cast<double>(used.ru_maxrss);
}

const char* name_of(exchange_form form) {
  switch (form) {
    case exchange_form::owner:
      return "owner";
    case exchange_form::copies:
      return "copies";
    case exchange_form::assembly:
      return "assembly";
    case exchange_form::distributed:
      return "distributed";
    case exchange_form::ordered:
      return "ordered";
  }
  return "unknown";
}

json problem_part(const problem& p) {
  return {{"class", std::string(1, p.name)},
          {"levels", p.levels},
          {"order", p.order},
          {"steps", p.steps},
          {"iterations", p.iterations},
          {"time_step", p.time_step()},
          {"radius", p.radius},
          {"length", p.length},
          {"strength", p.strength},
          {"sources", p.sources().count},
          {"hot_at_start", p.at_start.count},
          {"diffusivity", p.viscosity}};
}

json mesh_part_of(const nearfar::team& members, const heat_solver& solver) {
  std::vector<std::int64_t> of_level(max_level + 1);
  for (const octant& o : solver.mesh().leaves) ++of_level[o.level];
  nearfar::allreduce(members, nearfar::in_place, std::span<std::int64_t>(of_level), nearfar::reduce_op::sum);
  json mesh = {{"elements", solver.mesh().all_leaves}};
  for (std::size_t level = 0; level < of_level.size(); ++level)
    if (of_level[level] > 0) mesh["elements_by_level"][std::to_string(level)] = of_level[level];
  const mortar_layout& layout = solver.layout();
  const auto own = static_cast<double>(layout.own()), ghosts = static_cast<double>(layout.ghosts);
  mesh["per_rank"] = over_ranks(members, {{"elements", static_cast<double>(solver.mesh().leaves.size())},
                                          {"mortar_points", own},
                                          {"mortar_points_of_others", ghosts}});
  mesh["mortar_points"] = nearfar::allreduce(members, static_cast<std::int64_t>(layout.own()), nearfar::reduce_op::sum);
  const json& elements = mesh["per_rank"]["elements"];
  mesh["imbalance"] = elements["max"].get<double>() / elements["avg"].get<double>() - 1;
  return mesh;
}

json verification_part(const problem& p, const run_result& r) {
  json v = {{"integral", r.integral}, {"residual_left", r.residual_left}, {"performed", r.has_reference}};
  if (r.has_reference)
    v.update({{"successful", r.is_verified}, {"reference", p.integral}, {"relative_error", r.relative_error}});
  return v;
}

}  // namespace

void write_json(const nearfar::team& members, const app_options& options, const run_result& result,
                const heat_solver& solver) {
  json all = {{"program", "nearfar-adaptive-heat"},
              {"ranks", members.size()},
              {"nodes", members.nodes()},
              {"form", name_of(options.form)},
              {"kernels", kernels(options.what.order).name},
              {"seconds", result.seconds},
              {"mops", result.mops()},
              {"points", result.timed_points},
              {"problem", problem_part(options.what)}};
  all["phases_s"] = over_ranks(members, phases_of(result));
  all["mesh"] = mesh_part_of(members, solver);
  all["sent_per_sum"] = over_ranks(members, sent_per_sum(members, solver.exchange()));
  all["memory"] = over_ranks(members, {{"peak_bytes", peak_bytes()}});
  all["verification"] = verification_part(options.what, result);
  apps::agree_after(members, [&] {
    if (members.is_root()) apps::write_whole(options.json, all.dump(2) + "\n");
  });
}

}  // namespace adaptive_heat
