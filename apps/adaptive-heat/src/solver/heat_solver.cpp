// SPDX-License-Identifier: BSD-3-Clause
// The scheme of NPB UA. Boundary elements go first, so that sums travel while the inner elements are worked on.
#include <algorithm>
#include <element/kernels.hpp>
#include <mortar/traces.hpp>
#include <nearfar/collective.hpp>
#include <nearfar/reproducible.hpp>
#include <solver/heat_solver.hpp>

namespace adaptive_heat {

using where = mortar_exchange::where;

heat_solver::heat_solver(const nearfar::team& members, const solver_options& options)
    : team_(members), options_(options), layout_maker_(members), exchange_(members, options.form), vectors_(members) {}

void heat_solver::set_mesh(mesh_part part) {
  product_is_clear_ = false;
  part_ = std::move(part);
  const bool is_ordered = options_.form == exchange_form::ordered;
  layout_maker_.make({part_.leaves, part_.shapes, part_.first_key, is_ordered}, layout_);
  exchange_.renew(layout_, part_.shapes);
  vectors_.renew(layout_.total(), layout_.size);
  elements_.renew(part_, layout_, options_.scheme, is_ordered);
  reference_values_.resize(exchange_.references());
  make_diagonal();
  make_weights();
}

index heat_solver::active() const noexcept {
  return options_.form == exchange_form::copies ? layout_.total() : layout_.own();
}

// ---- sums over elements and over ranks ----

/// vector, which is zero, += what work(first block, last block) gives to it, on all ranks. Returns what work adds up.
template <class Work>
auto heat_solver::with_sum(double* vector, where wanted, Work&& work) {
  const index boundary = elements_.boundary_blocks(), all = elements_.blocks();
  auto sum = work(0, boundary);
  if (options_.form == exchange_form::ordered) {
    sum += work(boundary, all);
    sum_ordered(vector, wanted);
    return sum;
  }
  exchange_.start_sum(vector, wanted);
  sum += work(boundary, all);
  exchange_.finish_sum(vector);
  return sum;
}

void heat_solver::sum_ordered(double* vector, where wanted) {
  spread_contributions(
      part_.shapes, [this](std::size_t e, std::size_t n) { return elements_.contribution(e, n); }, reference_values_);
  exchange_.sum_in_order(reference_values_, vector, wanted);
}

void heat_solver::clear_surface(double* vector) const noexcept {
  for (const std::int32_t point : layout_.surface) vector[point] = 0;
}

/// Over ranks: `local`, or in the ordered form `ordered`, which is that already.
double heat_solver::total(double local, double ordered) const {
  if (options_.form == exchange_form::ordered) return ordered;
  return team_.size() == 1 ? local : nearfar::allreduce(team_, local, nearfar::op::sum);
}

/// <a, b> over interiors (the first two) and own mortars, exact.
static double exact_dot_of(const nearfar::team& team, std::span<const double> a, std::span<const double> b,
                           std::span<const double> mortar_a, std::span<const double> mortar_b) {
  nearfar::exact_dot sum;
  sum.add(a, b);
  sum.add(mortar_a, mortar_b);
  return nearfar::reproducible_dot(team, sum);
}

double heat_solver::ordered_weighted_square() {
  if (options_.form != exchange_form::ordered) return 0;
  const block_fields& f = elements_.fields();
  const auto size = static_cast<std::size_t>(elements_.interior_size()), own = static_cast<std::size_t>(layout_.own());
  std::vector<double> z(size), mortar_z(own);
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t point = i / lanes % interior_points, block = i / lanes / interior_points;
    z[i] = f.r[i] * f.shape[block].inverse_diagonal[interior_kind[point]][i % lanes];
  }
  for (std::size_t i = 0; i < own; ++i) mortar_z[i] = vectors_.residual[i] * vectors_.inverse_diagonal[i];
  return exact_dot_of(team_, {f.r, size}, z, {vectors_.residual, own}, mortar_z);
}

// ---- what a mesh needs ----

/// What an element adds to the diagonal at its mortars, in the order of for_each_mortar().
static void diagonal_of(const octant& leaf, const leaf_shape& shape, const time_scheme& scheme,
                        shape_diagonals& diagonals, std::vector<double>& out) {
  const double side = static_cast<double>(leaf.side()) / cube_side;
  const double stiffness = scheme.viscosity * side / 2, mass = side * side * side / 8 / scheme.dt;
  const auto value = [&](const diagonal_part& d) { return stiffness * d.stiffness + mass * d.mass; };
  out.clear();
  if (shape.is_plain())
    for (const diagonal_part& d : plain_diagonal()) out.push_back(value(d));
  else
    for (const diagonal_part& d : diagonals.of(shape)) out.push_back(value(d));
}

/// Values of the mortars of an element as values of its references: the ends of split lines come with other entities.
static double* place_in_order(const leaf_shape& shape, const std::vector<double>& of_mortars, double* to) {
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

void heat_solver::make_diagonal() {
  double* const diagonal = vectors_.inverse_diagonal;
  std::vector<double> values;
  double* reference = reference_values_.data();
  for (std::size_t n = 0; n < part_.leaves.size(); ++n) {
    diagonal_of(part_.leaves[n], part_.shapes[n], options_.scheme, diagonals_, values);
    if (options_.form == exchange_form::ordered) {
      reference = place_in_order(part_.shapes[n], values, reference);
      continue;
    }
    const double* value = values.data();
    for_each_mortar(layout_, n, part_.shapes[n], [&](std::int32_t place) { diagonal[place] += *value++; });
  }
  if (options_.form == exchange_form::ordered) {
    exchange_.sum_in_order(reference_values_, diagonal, where::all);
  } else {
    exchange_.start_sum(diagonal, where::all);
    exchange_.finish_sum(diagonal);
  }
  for (index i = 0; i < layout_.total(); ++i) diagonal[i] = 1 / diagonal[i];
}

void heat_solver::make_weights() {
  double* const weight = vectors_.inverse_weight;
  const auto weight_of = [this](std::size_t n, std::size_t entity) {
    const std::size_t slot = elements_.slot_of(n);
    const std::int32_t weights = elements_.weights_of_block()[slot / lanes];
    return weights < 0 ? 1.0 : elements_.weights()[weights].of[entity][slot % lanes];
  };
  if (options_.form == exchange_form::ordered) {
    spread_contributions(
        part_.shapes,
        [&](std::size_t n, std::size_t point) {
          std::size_t e = 0;
          while (e + 1 < entities && entity_offset(static_cast<int>(e) + 1) <= static_cast<int>(point)) ++e;
          return weight_of(n, e);
        },
        reference_values_);
    exchange_.sum_in_order(reference_values_, weight, where::all);
  } else {
    for (std::size_t n = 0; n < part_.leaves.size(); ++n)
      for (std::size_t e = 0; e < entities; ++e)
        for (int p = 0; p < entity_points(static_cast<int>(e)); ++p)
          weight[layout_.places[n][e] + p] += weight_of(n, e);
    exchange_.start_sum(weight, where::all);
    exchange_.finish_sum(weight);
  }
  for (index i = 0; i < layout_.total(); ++i) weight[i] = 1 / weight[i];
}

// ---- a step ----

void heat_solver::step(double time) {
  const double start = MPI_Wtime();
  convect(time);
  const double middle = MPI_Wtime();
  residuals_.clear();
  iterate(start_iterations());
  add_solution();
  times_.convection += middle - start, times_.diffusion += MPI_Wtime() - middle;
}

void heat_solver::convect(double time) {
  const double dt = options_.scheme.dt;
  convection c{.fields = &elements_.fields(),
               .touches_surface = elements_.touches_surface(),
               .weights_of_block = elements_.weights_of_block(),
               .weights = elements_.weights(),
               .alpha = options_.ball.radius,
               .dt = dt,
               .centre = {},
               .average = vectors_.average,
               .flow = {},
               .strength = options_.strength};
  const double speed = options_.scheme.speed();
  for (std::size_t axis = 0; axis < 3; ++axis) c.flow[axis] = speed > 0 ? options_.scheme.flow[axis] / speed : 0;
  for (std::size_t s = 0; s < 3; ++s) {
    const auto centre = options_.ball.at(time + static_cast<double>(s) * dt / 2).centre;
    std::copy(centre.begin(), centre.end(), c.centre[s]);
  }
  vectors_.clear(vectors_.average);
  with_sum(vectors_.average, where::all, [&](index first, index last) {
    kernels().convect(c, first, last);
    return 0;
  });
  kernels().scale(vectors_.average, vectors_.inverse_weight, layout_.total());
  project_traces(layout_, vectors_.average);
}

double heat_solver::start_iterations() {
  vectors_.clear(vectors_.residual);
  const double inner = with_sum(vectors_.residual, where::form, [&](index first, index last) {
    return kernels().residual(elements_.fields(), vectors_.average, vectors_.residual, first, last);
  });
  clear_surface(vectors_.residual);
  return total(inner + kernels().weighted_square(vectors_.residual, vectors_.inverse_diagonal, layout_.own()),
               ordered_weighted_square());
}

double heat_solver::apply(double beta) {
  mortar_vectors& v = vectors_;
  kernels().direct_mortars(v.direction, v.residual, v.inverse_diagonal, beta, active());
  exchange_.spread(v.direction);
  project_traces(layout_, v.direction);
  const block_fields& f = elements_.fields();
  if (!product_is_clear_) v.clear(v.product);
  product_is_clear_ = false;
  const double inner = with_sum(v.product, where::form, [&](index first, index last) {
    return kernels().apply(f, beta, v.direction, v.product, first, last);
  });
  clear_surface(v.product);
  if (options_.form == exchange_form::ordered) {
    const auto size = static_cast<std::size_t>(elements_.interior_size()),
               own = static_cast<std::size_t>(layout_.own());
    return exact_dot_of(team_, {f.p, size}, {f.q, size}, {v.direction, own}, {v.product, own});
  }
  return total(inner, 0);
}

void heat_solver::iterate(double rho) {
  mortar_vectors& v = vectors_;
  double beta = 0;
  for (int n = 0; n < options_.iterations; ++n) {
    residuals_.push_back(rho);
    const double curvature = apply(beta);
    const double step = rho > 0 ? rho / curvature : 0;  // nothing is left to solve, as before the heat has come
    const double now = kernels().advance(elements_.fields(), step, n == 0, 0, elements_.blocks()) +
                       kernels().advance_mortars(v.solution, v.residual, v.direction, v.product, v.inverse_diagonal,
                                                 step, n == 0, layout_.own(), active());
    if (n + 1 == options_.iterations) break;
    const double next = total(now, ordered_weighted_square());
    beta = rho > 0 ? next / rho : 0;
    rho = next;
  }
}

void heat_solver::add_solution() {
  kernels().add(vectors_.average, vectors_.solution, active());
  exchange_.spread(vectors_.average);
  project_traces(layout_, vectors_.average);
  kernels().add_solution(elements_.fields(), vectors_.average, 0, elements_.blocks());
}

double heat_solver::integral() {
  const auto& weight = ops().weight;
  nearfar::exact_sum sum;
  for (std::size_t n = 0; n < part_.leaves.size(); ++n) {
    const element_values u = elements_.values(n);
    double of_element = 0;
    for (std::size_t p = 0; p < volume; ++p) of_element += u[p] * weight[p % 5] * weight[p / 5 % 5] * weight[p / 25];
    const double half = part_.leaves[n].side() * (0.5 / cube_side);
    sum.add(of_element * half * half * half);
  }
  return nearfar::reproducible_sum(team_, sum);
}

std::array<std::int64_t, 2> heat_solver::mortar_counts() {
  std::array<std::int64_t, 2> counts{layout_.own_vertices, layout_.own()};
  nearfar::allreduce(team_, nearfar::in_place, std::span<std::int64_t>(counts), nearfar::op::sum);
  return counts;
}

}  // namespace adaptive_heat
