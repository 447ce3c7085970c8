// SPDX-License-Identifier: BSD-3-Clause
// One step after the other, each with its time.
#include <base/stopwatch.hpp>
#include <nearfar/error.hpp>
#include <solver/adapt.hpp>
#include <string>

namespace adaptive_heat {

mesh_source mesh_source_named(std::string_view name) {
  if (name == "forest") return mesh_source::forest;
  if (name == "closed-form") return mesh_source::closed_form;
  throw nearfar::usage_error("there is no mesh '" + std::string(name) + "'; the meshes are forest, closed-form");
}

void adapt(const adaptation_request& request, forest& tree, heat_solver& solver, value_transfer& values,
           adaptation_times& spent) {
  stopwatch watch;
  const adaptation& change =
      request.source == mesh_source::forest ? tree.adapt(request.around) : tree.adapt_by_closed_form(request.around);
  spent.refinement += watch.lap();
  values.start(solver.elements());
  values.migrate(change.before);
  spent.repartition += watch.lap();
  values.interpolate(change, tree.leaves());
  spent.interpolation += watch.lap();
  values.migrate(tree.rebalance(request.imbalance_allowed));
  spent.repartition += watch.lap();
  mesh_part part = part_of(tree);
  spent.ghosts += watch.lap();
  solver.set_mesh(std::move(part), values.sources());
}

}  // namespace adaptive_heat
