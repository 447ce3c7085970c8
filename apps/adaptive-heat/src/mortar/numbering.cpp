// SPDX-License-Identifier: BSD-3-Clause
// The lowest rank whose elements have a point numbers it, in the order of those elements. Its owner need not have it: a
// vertex in the middle of a coarse element's side belongs to the rank of that element, but only the finer ones have it.
#include <algorithm>
#include <array>
#include <limits>
#include <mortar/numbering.hpp>
#include <nearfar/collective.hpp>
#include <nearfar/irregular_plan.hpp>

namespace adaptive_heat {
namespace {

/// Edges by the first face, in the order of faces, that lies on them.
constexpr std::array<int, faces + 1> edges_before_face{0, 4, 8, 10, 12, 12, 12};

/// Calls visit(place, points) for each vertex of each element, in order.
template <class Visit>
void for_vertices(const mortar_layout& layout, Visit&& visit) {
  for (const auto& places : layout.places)
    for (std::size_t v = 0; v < vertices; ++v) visit(places[v], layout.counts.of_dimension(0));
}

/// The same for edges and faces that have points of their own.
template <class Visit>
void for_edges_and_faces(const mortar_layout& layout, std::span<const leaf_shape> shapes, Visit&& visit) {
  const auto visit_entity = [&](std::size_t element, int entity) {
    visit(layout.places[element][static_cast<std::size_t>(entity)], layout.counts.of_entity(entity));
  };
  for (std::size_t n = 0; n < shapes.size(); ++n)
    for (int f = 0; f < faces; ++f) {
      const auto face = static_cast<std::size_t>(f);
      for (int e = edges_before_face[face]; e < edges_before_face[face + 1]; ++e)
        if (!is_split(shapes[n], first_edge + e)) visit_entity(n, first_edge + e);
      if (!is_split(shapes[n], first_face + f)) visit_entity(n, first_face + f);
    }
}

/// All points of a rank, own and ghosts, as references to owners.
nearfar::irregular_plan plan_over_points(const nearfar::team& members, const mortar_layout& layout) {
  const auto where = nearfar::distribution::block_sizes(members, layout.own());
  std::vector<std::int64_t> indices(static_cast<std::size_t>(layout.own()));
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::int64_t>(i);
  where.globals(indices, indices);
  indices.insert(indices.end(), layout.ghost_index_all.begin(), layout.ghost_index_all.end());
  return nearfar::irregular_plan(where, indices, {.name = "numbers", .budget_s = nearfar::no_tuning});
}

using numbers = std::vector<std::int64_t>;
constexpr std::int64_t nobody = std::numeric_limits<std::int64_t>::max();

/// Of each point the lowest rank whose elements have it.
numbers first_ranks(const nearfar::team& members, const mortar_layout& layout, std::span<const leaf_shape> shapes,
                    nearfar::irregular_plan& plan) {
  numbers first(static_cast<std::size_t>(layout.total()), nobody);
  const auto touch = [&](std::int32_t place, int points) {
    std::fill_n(first.begin() + place, points, members.rank());
  };
  for_vertices(layout, touch);
  for_edges_and_faces(layout, shapes, touch);
  plan.assemble(std::span<std::int64_t>(first), nearfar::reduce_op::min);
  return first;
}

std::int64_t sum_of_lower_ranks(const nearfar::team& members, std::int64_t own) {
  std::int64_t sum = 0;
  nearfar::exscan(members, std::span<const std::int64_t>(&own, 1), std::span<std::int64_t>(&sum, 1),
                  nearfar::reduce_op::sum);
  return members.is_root() ? 0 : sum;
}

}  // namespace

global_numbers number_points(const nearfar::team& members, const mortar_layout& layout,
                             std::span<const leaf_shape> shapes) {
  nearfar::irregular_plan plan = plan_over_points(members, layout);
  const numbers first = first_ranks(members, layout, shapes, plan);
  global_numbers result{.points = numbers(first.size(), -1)};
  std::int64_t own = 0;
  const auto number = [&](std::int32_t place, int points) {
    const auto at = static_cast<std::size_t>(place);
    if (first[at] != members.rank() || result.points[at] >= 0) return;
    for (std::size_t p = at; p < at + static_cast<std::size_t>(points); ++p) result.points[p] = own++;
  };
  for_vertices(layout, number);
  const std::int64_t own_vertices = own;
  for_edges_and_faces(layout, shapes, number);
  const std::int64_t own_others = own - own_vertices;
  result.vertices = nearfar::allreduce(members, own_vertices, nearfar::reduce_op::sum);
  result.all = result.vertices + nearfar::allreduce(members, own_others, nearfar::reduce_op::sum);
  const std::int64_t first_vertex = sum_of_lower_ranks(members, own_vertices);
  const std::int64_t first_other = result.vertices + sum_of_lower_ranks(members, own_others);
  for (std::int64_t& n : result.points)
    if (n >= 0) n = n < own_vertices ? first_vertex + n : first_other + n - own_vertices;
  plan.assemble(std::span<std::int64_t>(result.points), nearfar::reduce_op::max);
  return result;
}

}  // namespace adaptive_heat
