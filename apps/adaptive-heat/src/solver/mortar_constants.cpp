// SPDX-License-Identifier: BSD-3-Clause
// What nothing split touches gets the same pattern from all elements, times two numbers of their level: so these are summed per entity.
#include <algorithm>
#include <base/room.hpp>
#include <bit>
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

/// Values of the mortars of an element as values of its references: the ends of split lines come with other entities.
double* place_in_order(const point_counts& counts, const leaf_shape& shape, const std::vector<double>& of_mortars,
                       double* to) {
  std::size_t at = 0;
  const int line = counts.line();
  const auto is_inner = [line](int q) { return q != 0 && q != line - 1; };
  for (int e = 0; e < entities; ++e) {
    if (!is_split(shape, e))
      for (int p = 0; p < counts.of_entity(e); ++p) *to++ = of_mortars[at++];
    else if (e < first_face)
      for (int q = 0; q < line; ++q) *to++ = is_inner(q) ? of_mortars[at++] : 0;
    else
      for (int q = 0; q < counts.grid(); ++q) *to++ = is_inner(q % line) && is_inner(q / line) ? of_mortars[at++] : 0;
  }
  return to;
}

}  // namespace

void mortar_constants::renew(const view& mesh, mortar_vectors& vectors) {
  double* const diagonal = vectors.inverse_diagonal;
  resize_anew(vectors.weights, static_cast<std::size_t>(mesh.layout.size));
  std::fill(vectors.weights.begin(), vectors.weights.end(), std::uint8_t{0});
  if (mesh.exchange.form() == exchange_form::ordered) {
    sum_diagonal_in_order(mesh, diagonal);
    sum_weights_in_order(mesh, vectors);
  } else {
    sum_plain_entities(mesh, vectors);
    spread_over_entities(mesh, vectors);
    add_affected_entities(mesh, diagonal);
    if (!mesh.exchange.is_alone()) sum_over_ranks(mesh, vectors);
  }
  for (index i = 0; i < mesh.layout.total(); ++i) diagonal[i] = 1 / diagonal[i];
}

void mortar_constants::sum_plain_entities(const view& mesh, mortar_vectors& vectors) {
  const auto levels = factors_of_levels(mesh.scheme);
  double *const stiffness = vectors.inverse_diagonal, *const mass = vectors.product;
  std::uint8_t* const weights = vectors.weights.data();
  vectors.clear(stiffness), vectors.clear(mass);
  for (std::size_t n = 0; n < mesh.part.leaves.size(); ++n) {
    const leaf_shape& shape = mesh.part.shapes[n];
    const matrix_factors f = levels[mesh.part.leaves[n].level];
    const auto& places = mesh.layout.places[n];
    const auto add = [&](std::int32_t place) { stiffness[place] += f.stiffness, mass[place] += f.mass; };
    const auto weigh = [&](std::int32_t place, int weight) {
      weights[place] = static_cast<std::uint8_t>(weights[place] + weight);
    };
    if (shape.is_plain()) {
      for (const std::int32_t place : places) add(place), weigh(place, weight_unit);
      continue;
    }
    const std::uint32_t affected = diagonals_.of(shape).affected;
    const entity_weights& of_shape = weights_.of(shape);
    for (std::size_t e = 0; e < entities; ++e) {
      if ((affected >> e & 1) == 0) add(places[e]);
      weigh(places[e], of_shape[e]);
    }
  }
}

/// The sums lie at the first place of each entity.
void mortar_constants::spread_over_entities(const view& mesh, mortar_vectors& vectors) {
  double *const diagonal = vectors.inverse_diagonal, *const mass = vectors.product;
  std::uint8_t* const weights = vectors.weights.data();
  const point_counts& counts = mesh.layout.counts;
  std::size_t place = 0;
  for (const std::uint8_t dimension : mesh.layout.entity_dimensions) {
    const matrix_factors sum{diagonal[place], mass[place]};
    const auto points = static_cast<std::size_t>(counts.of_dimension(dimension));
    const auto first = static_cast<std::size_t>(counts.offset(dimension == 0   ? 0
                                                              : dimension == 1 ? first_edge
                                                                               : first_face));
    for (std::size_t p = 0; p < points; ++p) diagonal[place + p] = sum.of(plain_[first + p]);
    std::fill_n(weights + place, points, weights[place]);
    place += points;
  }
}

void mortar_constants::add_affected_entities(const view& mesh, double* diagonal) {
  const auto levels = factors_of_levels(mesh.scheme);
  for (std::size_t n = 0; n < mesh.part.leaves.size(); ++n) {
    const leaf_shape& shape = mesh.part.shapes[n];
    if (shape.is_plain()) continue;
    const matrix_factors f = levels[mesh.part.leaves[n].level];
    const auto& parts = diagonals_.of(shape);
    for (std::uint32_t left = parts.affected; left != 0; left &= left - 1) {
      const int e = std::countr_zero(left);
      const diagonal_part* part = diagonals_.part(parts.part[static_cast<std::size_t>(e)]).data();
      for_each_mortar_of(mesh.layout, n, shape, e, [&](std::int32_t place) { diagonal[place] += f.of(*part++); });
    }
  }
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
  const point_counts& counts = mesh.layout.counts;
  std::vector<double> values;
  double* to = mesh.reference_values.data();
  for (std::size_t n = 0; n < mesh.part.leaves.size(); ++n) {
    values.clear();
    const matrix_factors f = levels[mesh.part.leaves[n].level];
    const auto& parts = diagonals_.of(mesh.part.shapes[n]);
    for (std::size_t e = 0; e < entities; ++e) {
      const auto size = static_cast<std::size_t>(counts.of_entity(static_cast<int>(e)));
      const std::span<const diagonal_part> plain =
          std::span(plain_).subspan(static_cast<std::size_t>(counts.offset(static_cast<int>(e))), size);
      for (const diagonal_part& d : (parts.affected >> e & 1) != 0 ? diagonals_.part(parts.part[e]) : plain)
        values.push_back(f.of(d));
    }
    to = place_in_order(counts, mesh.part.shapes[n], values, to);
  }
  mesh.exchange.sum_in_order(mesh.reference_values, diagonal, where::all);
}

void mortar_constants::sum_weights_in_order(const view& mesh, mortar_vectors& vectors) {
  const point_counts& counts = mesh.layout.counts;
  const auto entity_at = [&](std::size_t point) {
    int e = 0;
    while (e + 1 < entities && counts.offset(e + 1) <= static_cast<int>(point)) ++e;
    return static_cast<std::size_t>(e);
  };
  spread_contributions(
      counts.order, mesh.part.shapes,
      [&](std::size_t n, std::size_t point) { return weights_.of(mesh.part.shapes[n])[entity_at(point)]; },
      mesh.reference_values);
  double* const sums = vectors.product;
  mesh.exchange.sum_in_order(mesh.reference_values, sums, where::all);
  std::transform(sums, sums + mesh.layout.total(), vectors.weights.data(),
                 [](double w) { return static_cast<std::uint8_t>(std::lround(w)); });
}

}  // namespace adaptive_heat
