// SPDX-License-Identifier: BSD-3-Clause
// What nothing split touches gets the same pattern from all elements, times two numbers of their level: so these are
// summed per entity.
#include <algorithm>
#include <base/resize_anew.hpp>
#include <bit>
#include <cmath>
#include <cstring>
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

/// What elements that nothing split touches add up to at an entity, in the memory of the entity's first value. Sums of
/// such small multiples of powers of two are exact, in any order.
struct plain_sum {
  float mass;                         ///< in units of the finest level there can be, as is the stiffness
  std::uint32_t stiffness_of_weight;  ///< weight in the lowest eight bits, stiffness above

  static plain_sum of_level(int level) noexcept {
    const int above = max_level - level;
    return {std::ldexp(1.0F, 3 * above), std::uint32_t{1} << (above + 8)};
  }
  void add(const plain_sum& other) noexcept { mass += other.mass, stiffness_of_weight += other.stiffness_of_weight; }
  /// Something split touches the entity, so that there is more to add, or other ranks do. Sums of stiffness do not
  /// reach this bit.
  void mark() noexcept { stiffness_of_weight |= mark_bit; }
  bool is_marked() const noexcept { return (stiffness_of_weight & mark_bit) != 0; }
  std::uint8_t weight() const noexcept { return static_cast<std::uint8_t>(stiffness_of_weight); }
  matrix_factors factors(const matrix_factors& unit) const noexcept {
    return {unit.stiffness * ((stiffness_of_weight & ~mark_bit) >> 8), unit.mass * static_cast<double>(mass)};
  }
  bool operator==(const plain_sum&) const = default;

 private:
  static constexpr std::uint32_t mark_bit = std::uint32_t{1} << 31;
};
static_assert(sizeof(plain_sum) == sizeof(double) && max_level + 3 + 8 < 31);

/// Changes the sum that lies where the entity's first value will.
template <class Act>
void change_sum(double* at, Act&& act) {
  plain_sum sum;
  std::memcpy(&sum, at, sizeof sum);
  act(sum);
  std::memcpy(at, &sum, sizeof sum);
}

/// Of the points of an entity of that dimension; inverted unless the sum is marked.
std::vector<double> values_of(const plain_sum& sum, int dimension, const matrix_factors& unit,
                              const point_counts& counts, std::span<const diagonal_part> plain) {
  const int entity = dimension == 0 ? 0 : dimension == 1 ? first_edge : first_face;
  const matrix_factors factors = sum.factors(unit);
  std::vector<double> values;
  for (const diagonal_part& d : plain.subspan(static_cast<std::size_t>(counts.offset(entity)),
                                              static_cast<std::size_t>(counts.of_dimension(dimension))))
    values.push_back(sum.is_marked() ? factors.of(d) : 1 / factors.of(d));
  return values;
}

/// Calls act(entity's first point) for the entities inside of the trace of a split edge or face.
template <class Act>
void for_entities_of_trace(const mortar_layout& layout, std::int32_t place, std::size_t e, Act&& act) {
  const auto order = static_cast<std::size_t>(layout.counts.order), line = 2 * order + 1;
  const std::size_t first[] = {1, order, order + 1};  // points of an edge, the vertex between, points of the other edge
  if (e < first_face) {
    for (const std::size_t a : first) act(layout.edge_traces.at_place(place).points[a]);
    return;
  }
  for (const std::size_t b : first)
    for (const std::size_t a : first) act(layout.face_traces.at_place(place).points[line * b + a]);
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
  if (mesh.exchange.form() == exchange_form::ordered) {
    unfinished_.assign(1, {0, static_cast<std::int32_t>(mesh.layout.total())});
    sum_diagonal_in_order(mesh, diagonal);
    sum_weights_in_order(mesh, vectors);
  } else {
    sum_plain_entities(mesh, vectors);
    spread_over_entities(mesh, vectors);
    add_affected_entities(mesh, diagonal);
    if (!mesh.exchange.is_alone()) sum_over_ranks(mesh, vectors);
  }
  for (const points_of_entity& e : unfinished_)
    for (std::int32_t i = e.first; i < e.first + e.count; ++i) diagonal[i] = 1 / diagonal[i];
}

void mortar_constants::sum_plain_entities(const view& mesh, mortar_vectors& vectors) {
  double* const at = vectors.inverse_diagonal;
  vectors.clear(at);
  const auto add = [at](std::int32_t place, const plain_sum& more) {
    change_sum(at + place, [&](plain_sum& sum) { sum.add(more); });
  };
  const auto mark = [at](std::int32_t place) { change_sum(at + place, [](plain_sum& sum) { sum.mark(); }); };
  std::array<plain_sum, max_level + 1> levels;
  for (int level = 0; level <= max_level; ++level) levels[static_cast<std::size_t>(level)] = plain_sum::of_level(level);
  for (std::size_t n = 0; n < mesh.part.leaves.size(); ++n) {
    const leaf_shape& shape = mesh.part.shapes[n];
    const plain_sum& of_level = levels[mesh.part.leaves[n].level];
    const auto& places = mesh.layout.places[n];
    if (shape.is_plain()) {
      const plain_sum more{of_level.mass, of_level.stiffness_of_weight + weight_unit};
      for (const std::int32_t place : places) add(place, more);
      continue;
    }
    const std::uint32_t affected = diagonals_.of(shape).affected;
    const entity_weights& of_shape = weights_.of(shape);
    for (std::size_t e = 0; e < entities; ++e) {
      plain_sum more = (affected >> e & 1) != 0 ? plain_sum{} : of_level;
      more.stiffness_of_weight += of_shape[e];
      add(places[e], more);
      if ((affected >> e & 1) == 0) continue;
      if (is_split(shape, static_cast<int>(e)))
        for_entities_of_trace(mesh.layout, places[e], e, mark);
      else
        mark(places[e]);
    }
  }
}

/// Entities next to each other mostly have the same sums. What is complete is inverted, the rest noted.
void mortar_constants::spread_over_entities(const view& mesh, mortar_vectors& vectors) {
  const matrix_factors unit = factors_of_levels(mesh.scheme)[max_level];
  const point_counts& counts = mesh.layout.counts;
  const index_t own_alone = mesh.exchange.first_summed();
  struct known {
    plain_sum sum{-1, 0};
    std::vector<double> values{};
  };
  std::array<known, 3> last;  // by dimension
  unfinished_.clear();
  index_t place = 0;
  for (const std::uint8_t dimension : mesh.layout.entity_dimensions) {
    double* const at = vectors.inverse_diagonal + place;
    plain_sum sum;
    std::memcpy(&sum, at, sizeof sum);
    if (place >= own_alone) sum.mark();
    known& k = last[dimension];
    if (k.sum != sum) k = {sum, values_of(sum, dimension, unit, counts, plain_)};
    const auto points = static_cast<std::int32_t>(k.values.size());
    std::copy(k.values.begin(), k.values.end(), at);
    std::fill_n(vectors.weights.data() + place, points, sum.weight());
    if (sum.is_marked()) unfinished_.push_back({static_cast<std::int32_t>(place), points});
    place += points;
  }
  std::fill(vectors.inverse_diagonal + place, vectors.inverse_diagonal + mesh.layout.size, 0.0);
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
  const index_t first = mesh.exchange.first_summed(), last = mesh.layout.total();
  std::copy(vectors.weights.data() + first, vectors.weights.data() + last, sums + first);
  mesh.exchange.sum_shared(diagonal, sums);
  std::transform(sums + first, sums + last, vectors.weights.data() + first,
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
