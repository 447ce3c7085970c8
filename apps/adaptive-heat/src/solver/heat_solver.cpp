// SPDX-License-Identifier: BSD-3-Clause
// The scheme of NPB UA. Boundary elements go first, so that sums travel while the inner elements are worked on.
//
// The conjugate gradients are those of Chronopoulos and Gear (J. Comput. Appl. Math. 25, 1989): the image of the
// direction follows from that of the preconditioned residual, so that one reduction per iteration has both sums, and
// all that an iteration does to an element is done in one visit.
#include <algorithm>
#include <base/stopwatch.hpp>
#include <element/kernels.hpp>
#include <mortar/traces.hpp>
#include <nearfar/collective.hpp>
#include <nearfar/reproducible.hpp>
#include <numeric>
#include <solver/heat_solver.hpp>

namespace adaptive_heat {

using where = mortar_exchange::where;

heat_solver::heat_solver(const nearfar::team& members, const solver_options& options)
    : team_(members),
      options_(options),
      threads_(options.threads),
      layout_maker_(members),
      exchange_(members, options.form, options.threads, options.distribution),
      vectors_(members),
      kernels_(kernels(options.order)),
      elements_(options.order),
      constants_(options.order),
      sums_(std::make_unique<std::array<double, 2>>()),
      has_threads_(nearfar::allreduce(members, options.threads, nearfar::reduce_op::max) > 1) {
  if (members.size() > 1 && options.form != exchange_form::ordered)
    reduction_.emplace(members, std::span<double>(*sums_), nearfar::reduce_op::sum,
                       nearfar::plan_options{.name = "sums"});
}

void heat_solver::set_mesh(mesh_part part) { set_mesh(std::move(part), nullptr); }
void heat_solver::set_mesh(mesh_part part, const element_sources& values) { set_mesh(std::move(part), &values); }

void heat_solver::set_mesh(mesh_part part, const element_sources* values) {
  stopwatch watch;
  part_ = std::move(part);
  const bool is_ordered = options_.form == exchange_form::ordered;
  layout_maker_.make({part_.leaves, part_.shapes, part_.first_key, part_.partners, is_ordered, options_.order},
                     layout_);
  mesh_times_.numbering += watch.lap();
  exchange_.renew(layout_, part_.shapes);
  mesh_times_.inspection += watch.lap();
  if (values != nullptr)
    elements_.renew(part_, layout_, options_.scheme, is_ordered, *values);
  else
    elements_.renew(part_, layout_, options_.scheme, is_ordered);
  overlaps_.renew(threads_, layout_, elements_);
  const std::int64_t behind = overlaps_.places();
  const std::int64_t most = has_threads_ ? nearfar::allreduce(team_, behind, nearfar::reduce_op::max) : 0;
  vectors_.renew({layout_.total(), layout_.size, layout_.largest, behind, most});
  mesh_times_.elements += watch.lap();
  reference_values_.resize(exchange_.references());
  constants_.renew({part_, layout_, options_.scheme, exchange_, reference_values_}, vectors_);
  // Nothing on the surface ever changes, or counts.
  for (const std::int32_t i : layout_.surface) vectors_.inverse_diagonal[i] = 0;
  mesh_times_.preconditioner += watch.lap();
  block_sums_.resize(static_cast<std::size_t>(elements_.blocks()));
}

index_t heat_solver::active() const noexcept { return has_copies(options_.form) ? layout_.total() : layout_.own(); }

// ---- sums over elements and over ranks ----

/// vector, which is zero, += what work(first block, last block) gives to it, on all ranks.
template <class Work>
void heat_solver::with_sum(double* vector, where wanted, Work&& work) {
  const index_t boundary = elements_.boundary_blocks(), all = elements_.blocks();
  threads_.share(0, boundary, work);
  if (options_.form == exchange_form::ordered) {
    threads_.share(boundary, all, work);
    return sum_ordered(vector, wanted);
  }
  overlaps_.add(threads_, thread_overlaps::part::shared, vector);
  exchange_.start_sum(vector, wanted);
  threads_.share(boundary, all, work);
  overlaps_.add(threads_, thread_overlaps::part::others, vector);
  exchange_.finish_sum(vector);
}

void heat_solver::sum_ordered(double* vector, where wanted) {
  spread_contributions(
      options_.order, part_.shapes, [this](std::size_t e, std::size_t n) { return elements_.contribution(e, n); },
      reference_values_);
  exchange_.sum_in_order(reference_values_, vector, wanted);
}

/// <a, b> over interiors (the first two) and own mortars, exact.
static double exact_dot_of(const nearfar::team& team, std::span<const double> a, std::span<const double> b,
                           std::span<const double> mortar_a, std::span<const double> mortar_b) {
  nearfar::exact_dot sum;
  sum.add(a, b);
  sum.add(mortar_a, mortar_b);
  return nearfar::reproducible_dot(team, sum);
}

cg_sums heat_solver::ordered_sums() const {
  const block_fields& f = elements_.fields();
  const auto interior = static_cast<std::size_t>(elements_.counts().interior());
  const auto size = static_cast<std::size_t>(elements_.interior_size()), own = static_cast<std::size_t>(layout_.own());
  std::vector<double> z(size), q(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t point = i / simd_lanes % interior, block = i / simd_lanes / interior;
    z[i] = f.r[i] * f.inverse_diagonal_at(block, point, i % simd_lanes);
    q[i] = f.lodged(lodger::q, block, point, i % simd_lanes);
  }
  const std::span<const double> mortar_z(vectors_.preconditioned, own);
  std::vector<double> mortar_r(own);
  for (std::size_t i = 0; i < own; ++i) mortar_r[i] = mortar_z[i] == 0 ? 0 : mortar_z[i] / vectors_.inverse_diagonal[i];
  return {exact_dot_of(team_, {f.r, size}, z, mortar_r, mortar_z),
          exact_dot_of(team_, q, z, {vectors_.product, own}, mortar_z)};
}

// ---- a step ----

/// Where nothing is left to solve, as before the heat has come, nothing changes.
static cg_step next_step(const cg_step& last, double square_before, const cg_sums& sums) {
  cg_step next{.updates = last.updates + 1};
  if (!(sums.square > 0)) return next;
  double curvature = sums.curvature;
  if (square_before > 0) {
    next.beta = sums.square / square_before;
    curvature -= next.beta * sums.square / last.step;
  }
  next.step = sums.square / curvature;
  return next;
}

void heat_solver::step(double time) {
  const double start = MPI_Wtime();
  convect(time);
  const double middle = MPI_Wtime();
  make_residual();
  solve();
  times_.convection += middle - start, times_.diffusion += MPI_Wtime() - middle;
}

void heat_solver::place_sources(double time) {
  sources_.clear();
  for (const moving_source& s : options_.sources) {
    convected_source& now = sources_.emplace_back(convected_source{s.ball.radius, s.strength, {}});
    for (std::size_t when = 0; when < 3; ++when) {
      const auto centre = s.ball.at(time + static_cast<double>(when) * options_.scheme.dt / 2).centre;
      std::copy(centre.begin(), centre.end(), now.centre[when]);
    }
  }
}

void heat_solver::convect(double time) {
  const double dt = options_.scheme.dt;
  place_sources(time);
  convection c{.fields = &elements_.fields(),
               .touches_surface = elements_.touches_surface(),
               .weights_of_block = elements_.weights_of_block(),
               .weights = elements_.weights(),
               .sources = sources_.data(),
               .source_count = static_cast<int>(sources_.size()),
               .dt = dt,
               .average = vectors_.average,
               .flow = {}};
  const double speed = options_.scheme.speed();
  for (std::size_t axis = 0; axis < 3; ++axis) c.flow[axis] = speed > 0 ? options_.scheme.flow[axis] / speed : 0;
  vectors_.clear(vectors_.average);
  with_sum(vectors_.average, where::all, [&](index_t first, index_t last) { kernels_.convect(c, first, last); });
  threads_.share(0, layout_.total(),
                 [&](index_t first, index_t last) { vectors_.divide_by_weights(vectors_.average, first, last); });
  project(vectors_.average);
}

void heat_solver::make_residual() {
  vectors_.clear(vectors_.residual);
  with_sum(vectors_.residual, where::form, [&](index_t first, index_t last) {
    kernels_.residual(elements_.fields(), vectors_.average, vectors_.residual, first, last);
  });
  // The solution begins as what it is on the boundary; the first product is summed where the averages are: in the
  // places of traces, too.
  threads_.share(0, layout_.total(), [&](index_t first, index_t last) {
    std::copy(vectors_.average + first, vectors_.average + last, vectors_.solution + first);
  });
  std::fill(vectors_.product + layout_.traces_begin, vectors_.product + layout_.unused(), 0.0);
}

cg_sums heat_solver::iterate(const cg_step& step) {
  mortar_vectors& v = vectors_;
  cg_sums sums{.square = iterate_mortars(step)};
  exchange_.spread(v.preconditioned);
  project(v.preconditioned);
  std::fill(v.product + active(), v.product + layout_.total(), 0.0);
  with_sum(v.product, where::form, [&](index_t first, index_t last) {
    kernels_.iterate(elements_.fields(), step, v.preconditioned, v.product, first, last, block_sums_.data());
  });
  if (options_.form == exchange_form::ordered) return ordered_sums();
  for (const cg_sums& s : block_sums_) sums.square += s.square, sums.curvature += s.curvature;
  if (!reduction_) return sums;
  *sums_ = {sums.square, sums.curvature};
  reduction_->run();
  return {(*sums_)[0], (*sums_)[1]};
}

/// Sums of parts that do not depend on the number of threads are added in their order.
double heat_solver::iterate_mortars(const cg_step& step) {
  constexpr index_t part = 1024;
  mortar_vectors& v = vectors_;
  const cg_mortars m{v.solution, v.preconditioned, v.direction, v.image, v.product, v.inverse_diagonal, layout_.own()};
  const index_t all = active();
  mortar_sums_.resize(static_cast<std::size_t>((all + part - 1) / part));
  threads_.share(0, static_cast<index_t>(mortar_sums_.size()), [&](index_t first, index_t last) {
    for (index_t n = first; n < last; ++n)
      mortar_sums_[static_cast<std::size_t>(n)] =
          kernels_.iterate_mortars(m, step, n * part, std::min(all, (n + 1) * part));
  });
  return std::accumulate(mortar_sums_.begin(), mortar_sums_.end(), 0.0);
}

void heat_solver::project(double* vector) {
  threads_.run([&](int n) { project_traces(layout_, vector, n, threads_.threads()); });
}

void heat_solver::solve() {
  residuals_.clear();
  cg_step step;
  double before = 0;
  for (int n = 0; n < options_.iterations; ++n) {
    const cg_sums sums = iterate(step);
    residuals_.push_back(sums.square);
    step = next_step(step, before, sums);
    before = sums.square;
  }
  iterate_mortars(step);
  exchange_.spread(vectors_.solution);
  project(vectors_.solution);
  threads_.share(0, elements_.blocks(), [&](index_t first, index_t last) {
    kernels_.add_solution(elements_.fields(), step, vectors_.solution, first, last);
  });
}

double heat_solver::integral() {
  std::vector<std::array<double, 3>> weights;  // along the axes
  const operators& o = ops(options_.order);
  for (int p = 0; p < o.counts.volume(); ++p) weights.push_back(o.weights_at(p));
  nearfar::exact_sum sum;
  for (std::size_t n = 0; n < part_.leaves.size(); ++n) {
    const element_values u = elements_.values(n);
    double of_element = 0;
    for (std::size_t p = 0; p < u.size(); ++p) of_element += u[p] * weights[p][0] * weights[p][1] * weights[p][2];
    const double half = part_.leaves[n].side() * (0.5 / cube_side);
    sum.add(of_element * half * half * half);
  }
  return nearfar::reproducible_sum(team_, sum);
}

std::array<double, 2> heat_solver::extremes() const {
  double lowest = 0, highest = 0;  // of the surface
  for (std::size_t n = 0; n < part_.leaves.size(); ++n)
    for (const double u : elements_.values(n)) lowest = std::min(lowest, u), highest = std::max(highest, u);
  std::array<double, 2> both{-lowest, highest};
  nearfar::allreduce(team_, nearfar::in_place, std::span<double>(both), nearfar::reduce_op::max);
  return {-both[0], both[1]};
}

std::array<std::int64_t, 2> heat_solver::mortar_counts() {
  std::array<std::int64_t, 2> counts{layout_.own_vertices, layout_.own()};
  nearfar::allreduce(team_, nearfar::in_place, std::span<std::int64_t>(counts), nearfar::reduce_op::sum);
  return counts;
}

}  // namespace adaptive_heat
