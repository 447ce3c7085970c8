// SPDX-License-Identifier: BSD-3-Clause
// The scheme of NPB UA. Boundary elements go first, so that sums travel while the inner elements are worked on.
#include <algorithm>
#include <base/stopwatch.hpp>
#include <element/kernels.hpp>
#include <mortar/traces.hpp>
#include <nearfar/collective.hpp>
#include <nearfar/reproducible.hpp>
#include <solver/heat_solver.hpp>

namespace adaptive_heat {

using where = mortar_exchange::where;

heat_solver::heat_solver(const nearfar::team& members, const solver_options& options)
    : team_(members), options_(options), layout_maker_(members), exchange_(members, options.form), vectors_(members) {}

void heat_solver::set_mesh(mesh_part part) { set_mesh(std::move(part), nullptr); }
void heat_solver::set_mesh(mesh_part part, const element_sources& values) { set_mesh(std::move(part), &values); }

void heat_solver::set_mesh(mesh_part part, const element_sources* values) {
  stopwatch watch;
  product_is_clear_ = false;
  part_ = std::move(part);
  const bool is_ordered = options_.form == exchange_form::ordered;
  layout_maker_.make({part_.leaves, part_.shapes, part_.first_key, is_ordered}, layout_);
  mesh_times_.numbering += watch.lap();
  exchange_.renew(layout_, part_.shapes);
  vectors_.renew(layout_.total(), layout_.size);
  mesh_times_.inspection += watch.lap();
  if (values != nullptr)
    elements_.renew(part_, layout_, options_.scheme, is_ordered, *values);
  else
    elements_.renew(part_, layout_, options_.scheme, is_ordered);
  mesh_times_.elements += watch.lap();
  reference_values_.resize(exchange_.references());
  constants_.renew({part_, layout_, options_.scheme, exchange_, reference_values_}, vectors_);
  mesh_times_.preconditioner += watch.lap();
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
  vectors_.divide_by_weights(vectors_.average, layout_.total());
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
