// SPDX-License-Identifier: BSD-3-Clause
// T = the slowest rank's elements + its sums (as in LogGP: posts, latency, bytes) + reductions + its share of an
// adaptation.
#include <algorithm>
#include <app/prediction.hpp>
#include <cmath>
#include <cstdio>
#include <mesh/closed_form.hpp>
#include <mortar/rank_loads.hpp>
#include <nearfar/team.hpp>
#include <solver/simulation.hpp>

namespace adaptive_heat {
namespace {

/// Seconds of one step.
struct predicted {
  double elements = 0, sums = 0, reductions = 0, adaptation = 0;
  double total() const { return elements + sums + reductions + adaptation; }
};

predicted step_of(const problem& what, const std::vector<rank_load>& loads, const cost_model& c) {
  const double hops = std::ceil(std::log2(static_cast<double>(loads.size())));
  const double reduction = hops * (c.latency + c.message);
  predicted worst;
  for (const rank_load& l : loads) {
    const auto partners = static_cast<double>(l.partners);
    const double round =
        l.partners == 0 ? 0 : c.latency + partners * c.message + 8 * static_cast<double>(l.values) / c.bandwidth;
    const auto elements = static_cast<double>(l.elements);
    const predicted p{
        .elements = elements * c.element_step,
        .sums = (what.iterations + 2) * round,  // first guess, residual, and one per iteration
        .reductions = what.iterations * reduction,
        .adaptation =
            (elements * c.element_adaptation + c.adaptation_waits * std::max(round, reduction)) / what.adapt_every};
    if (p.total() > worst.total()) worst = p;
  }
  return worst;
}

void add_row(std::string& text, const std::vector<rank_load>& loads, const predicted& p, double alone) {
  rank_load most;
  for (const rank_load& l : loads) {
    most.elements = std::max(most.elements, l.elements), most.values = std::max(most.values, l.values);
    most.partners = std::max(most.partners, l.partners);
  }
  char line[200];
  std::snprintf(line, sizeof line, "| %zu | %lld | %lld | %.1f | %.3f | %.3f | %.3f | %.3f | %.1f | %.0f %% |\n",
                loads.size(), static_cast<long long>(most.elements), static_cast<long long>(most.partners),
                8.0 / 1024 * static_cast<double>(most.values), 1e3 * p.elements, 1e3 * p.sums, 1e3 * p.reductions,
                1e3 * p.adaptation, alone / p.total(), 100 * alone / p.total() / static_cast<double>(loads.size()));
  text += line;
}

}  // namespace

std::string predict_scaling(const problem& what, int most_ranks, const cost_model& given) {
  const cost_model costs = given.for_order(what.order);
  const nearfar::team alone(MPI_COMM_SELF);
  forest mesh(alone, what.levels);
  mesh.start(region_of(what, 0));
  const mesh_part whole = part_of(mesh);
  mortar_layout layout;
  layout_maker(alone).make({.leaves = whole.leaves,
                            .shapes = whole.shapes,
                            .first_key = whole.first_key,
                            .partners = whole.partners,
                            .order = what.order},
                           layout);
  char line[300];
  std::snprintf(line, sizeof line,
                "Predicted, not measured: class %c, %lld elements, %lld mortar points. Traffic is counted; a message "
                "takes %.1f us, posting one %.1f us,\n"
                "a rank moves %.0f GB/s, an element takes %.1f us of a step and %.2f us of an adaptation.\n\n",
                what.name, static_cast<long long>(whole.leaves.size()), static_cast<long long>(layout.total()),
                1e6 * costs.latency, 1e6 * costs.message, 1e-9 * costs.bandwidth, 1e6 * costs.element_step,
                1e6 * costs.element_adaptation);
  std::string text = line;
  text +=
      "| ranks | elements | partners | KiB/sum | elements ms | sums ms | reductions ms | adaptation ms | speed-up | "
      "efficiency |\n";
  text += "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  double of_one = 0;
  for (int ranks = 1; ranks <= most_ranks; ranks *= 2) {
    const std::vector<rank_load> loads = loads_of(layout, whole.shapes, ranks);
    const predicted p = step_of(what, loads, costs);
    if (ranks == 1) of_one = p.total();
    add_row(text, loads, p, of_one);
  }
  return text;
}

}  // namespace adaptive_heat
