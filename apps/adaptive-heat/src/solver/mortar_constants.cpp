// SPDX-License-Identifier: BSD-3-Clause
// Elements without split edges give the same pattern to an entity, times two numbers of their level: so these are summed per entity first.
#include <algorithm>
#include <cmath>
#include <solver/mortar_constants.hpp>

namespace adaptive_heat {

using where = mortar_exchange::where;

namespace {

/// Factors of stiffness and mass in the matrix of an element.
struct matrix_factors {
  double stiffness, mass;
  double of(const diagonal_part& d) const noexcept { return stiffness * d.stiffness + mass * d.mass; }
};

std::array<matrix_factors, max_level + 1> factors_of_levels(const time_scheme& scheme) {
  std::array<matrix_factors, max_level + 1> table;
  for (int level = 0; level <= max_level; ++level) {
    const double side = 1.0 / static_cast<double>(std::int64_t{1} << level);
    table[static_cast<std::size_t>(level)] = {scheme.viscosity * side / 2, side * side * side / 8 / scheme.dt};
  }
  return table;
}

/// Calls act(first place, points) for every entity.
template <class Act>
void for_each_entity(const mortar_layout& layout, Act&& act) {
  std::size_t place = 0;
  for (const std::uint8_t points : layout.entity_sizes) {
    act(place, points);
    place += points;
  }
}

/// Values of the mortars of an element as values of its references: the ends of split lines come with other entities.
double* place_in_order(const leaf_shape& shape, const std::vector<double>& of_mortars, double* to) {
  std::size_t at = 0;
  for (int e = 0; e < entities; ++e) {
    if (e >= first_face && (shape.split_faces >> (e - first_face) & 1) != 0) {
      for (int q = 0; q < 81; ++q) *to++ = q % 9 % 8 != 0 && q / 9 % 8 != 0 ? of_mortars[at++] : 0;
    } else if (e >= first_edge && e < first_face && (shape.split_edges >> (e - first_edge) & 1) != 0) {
      for (int q = 0; q < 9; ++q) *to++ = q % 8 != 0 ? of_mortars[at++] : 0;
    } else {
      for (int p = 0; p < entity_points(e); ++p) *to++ = of_mortars[at++];
    }
  }
  return to;
}

std::span<const diagonal_part> parts_of(const leaf_shape& shape, shape_diagonals& diagonals) {
  if (shape.is_plain()) return plain_diagonal();
  return diagonals.of(shape);
}

}  // namespace

void mortar_constants::renew(const view& mesh, mortar_vectors& vectors) {
  double* const diagonal = vectors.inverse_diagonal;
  vectors.weights.assign(static_cast<std::size_t>(mesh.layout.size), 0);
  if (mesh.exchange.form() == exchange_form::ordered) {
    sum_diagonal_in_order(mesh, diagonal);
    sum_weights_in_order(mesh, vectors);
  } else {
    sum_plain_elements(mesh, vectors);
    sum_split_elements(mesh, vectors);
    if (!mesh.exchange.is_alone()) sum_over_ranks(mesh, vectors);
  }
  for (index i = 0; i < mesh.layout.total(); ++i) diagonal[i] = 1 / diagonal[i];
}

void mortar_constants::sum_plain_elements(const view& mesh, mortar_vectors& vectors) {
  const auto levels = factors_of_levels(mesh.scheme);
  double *const stiffness = vectors.inverse_diagonal, *const mass = vectors.product;
  std::uint8_t* const weights = vectors.weights.data();
  vectors.clear(stiffness), vectors.clear(mass);
  for (std::size_t n = 0; n < mesh.part.leaves.size(); ++n) {
    if (!mesh.part.shapes[n].is_plain()) continue;
    const matrix_factors f = levels[mesh.part.leaves[n].level];
    for (const std::int32_t place : mesh.layout.places[n]) {
      stiffness[place] += f.stiffness, mass[place] += f.mass;
      weights[place] = static_cast<std::uint8_t>(weights[place] + weight_unit);
    }
  }
  const auto& pattern = plain_diagonal();
  for_each_entity(mesh.layout, [&](std::size_t place, std::uint8_t points) {
    const matrix_factors sum{stiffness[place], mass[place]};
    const auto first = static_cast<std::size_t>(points == 1   ? entity_offset(0)
                                                : points == 3 ? entity_offset(first_edge)
                                                              : entity_offset(first_face));
    for (std::size_t p = 0; p < points; ++p) stiffness[place + p] = sum.of(pattern[first + p]);
  });
}

void mortar_constants::sum_split_elements(const view& mesh, mortar_vectors& vectors) {
  const auto levels = factors_of_levels(mesh.scheme);
  double* const diagonal = vectors.inverse_diagonal;
  std::uint8_t* const weights = vectors.weights.data();
  for (std::size_t n = 0; n < mesh.part.leaves.size(); ++n) {
    const leaf_shape& shape = mesh.part.shapes[n];
    if (shape.is_plain()) continue;
    const matrix_factors f = levels[mesh.part.leaves[n].level];
    const diagonal_part* part = diagonals_.of(shape).data();
    for_each_mortar(mesh.layout, n, shape, [&](std::int32_t place) { diagonal[place] += f.of(*part++); });
    const entity_weights& of_shape = weights_.of(shape);
    for (std::size_t e = 0; e < entities; ++e) {
      std::uint8_t& weight = weights[mesh.layout.places[n][e]];
      weight = static_cast<std::uint8_t>(weight + of_shape[e]);
    }
  }
  for_each_entity(mesh.layout, [&](std::size_t place, std::uint8_t points) {
    std::fill_n(weights + place, points, weights[place]);
  });
}

/// Sums of weights are exact in any order.
void mortar_constants::sum_over_ranks(const view& mesh, mortar_vectors& vectors) {
  double *const diagonal = vectors.inverse_diagonal, *const sums = vectors.product;
  vectors.clear(sums);
  std::copy_n(vectors.weights.data(), mesh.layout.total(), sums);
  mesh.exchange.sum_shared(diagonal, sums);
  std::transform(sums, sums + mesh.layout.total(), vectors.weights.data(),
                 [](double w) { return static_cast<std::uint8_t>(w); });
}

void mortar_constants::sum_diagonal_in_order(const view& mesh, double* diagonal) {
  const auto levels = factors_of_levels(mesh.scheme);
  std::vector<double> values;
  double* to = mesh.reference_values.data();
  for (std::size_t n = 0; n < mesh.part.leaves.size(); ++n) {
    values.clear();
    for (const diagonal_part& d : parts_of(mesh.part.shapes[n], diagonals_))
      values.push_back(levels[mesh.part.leaves[n].level].of(d));
    to = place_in_order(mesh.part.shapes[n], values, to);
  }
  mesh.exchange.sum_in_order(mesh.reference_values, diagonal, where::all);
}

void mortar_constants::sum_weights_in_order(const view& mesh, mortar_vectors& vectors) {
  const auto entity_at = [](std::size_t point) {
    int e = 0;
    while (e + 1 < entities && entity_offset(e + 1) <= static_cast<int>(point)) ++e;
    return static_cast<std::size_t>(e);
  };
  spread_contributions(
      mesh.part.shapes,
      [&](std::size_t n, std::size_t point) { return weights_.of(mesh.part.shapes[n])[entity_at(point)]; },
      mesh.reference_values);
  double* const sums = vectors.product;
  mesh.exchange.sum_in_order(mesh.reference_values, sums, where::all);
  std::transform(sums, sums + mesh.layout.total(), vectors.weights.data(),
                 [](double w) { return static_cast<std::uint8_t>(std::lround(w)); });
}

}  // namespace adaptive_heat
