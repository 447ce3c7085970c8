// SPDX-License-Identifier: BSD-3-Clause
// Values are made where the stream keeps them until they are written: no array of this program's own.
#include <algorithm>
#include <array>
#include <cstdio>
#include <element/operators.hpp>
#include <filesystem>
#include <nearfar/collective.hpp>
#include <nearfar/error.hpp>
#include <output/mesh_series.hpp>

namespace adaptive_heat {
namespace {

using nearfar::element_type;
using nearfar::output_part;

constexpr std::int64_t corners = 8;
constexpr std::int8_t hexahedron = 12;  // VTK_HEXAHEDRON
constexpr const char* ending = ".vtkhdf";

/// What elements of an order become.
struct element_cells {
  point_counts counts;
  std::int64_t volume, cells;

  explicit element_cells(int order)
      : counts{order}, volume(counts.volume()), cells(std::int64_t{order} * order * order) {}

  /// Corners of an element's cells as VTK orders them, by number of the element's point.
  std::vector<std::int64_t> all_corners() const {
    std::vector<std::int64_t> all;
    const std::int64_t n = counts.order, y = counts.points(), z = y * y;
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      const std::int64_t first = cell % n + y * (cell / n % n) + z * (cell / (n * n));
      for (const std::int64_t step : {std::int64_t{0}, std::int64_t{1}, 1 + y, y}) all.push_back(first + step);
      for (const std::int64_t step : {std::int64_t{0}, std::int64_t{1}, 1 + y, y}) all.push_back(first + z + step);
    }
    return all;
  }

  /// Rows of the varying arrays, in their order, for so many elements.
  std::vector<std::int64_t> rows(std::int64_t elements) const {
    const std::int64_t points = volume * elements, own = cells * elements;
    return {points, own * corners, elements > 0 ? own + 1 : 0, own, points, own, own};
  }
};

void fill_points(const octant& o, const problem& p, double* to) {
  constexpr double unit = 1.0 / cube_side;
  const operators& op = ops(p.order);
  const std::array<double, 3> anchor{o.x * unit, o.y * unit, o.z * unit};
  for (int q = 0; q < op.counts.volume(); ++q)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double zeta = op.zeta[static_cast<std::size_t>(op.counts.coordinate(q, static_cast<int>(axis)))];
      *to++ = p.origin[axis] + p.length * (anchor[axis] + o.side() * unit * (zeta + 1) / 2);
    }
}

/// What no step changes.
std::vector<std::pair<std::string, std::string>> facts_of(const problem& p) {
  const auto exact = [](double value) {
    char words[32];
    std::snprintf(words, sizeof words, "%.17g", value);
    return std::string(words);
  };
  return {{"radius", exact(p.radius)},       {"length", exact(p.length)},      {"origin_x", exact(p.origin[0])},
          {"origin_y", exact(p.origin[1])},  {"origin_z", exact(p.origin[2])}, {"levels", std::to_string(p.levels)},
          {"order", std::to_string(p.order)}};
}

}  // namespace

mesh_series::mesh_series(const nearfar::team& members, const problem& what, const series_options& options)
    : team_(members), problem_(what), options_(options) {
  const std::filesystem::path given(options.path);
  if (given.extension() != ending || given.stem().empty())
    throw nearfar::usage_error("--output=" + options.path + ": the name must end in " + ending);
  base_ = options.path.substr(0, options.path.size() - std::string(ending).size());
}

std::vector<nearfar::output_array> mesh_series::arrays() const {
  const auto most = element_cells(problem_.order).rows(static_cast<std::int64_t>(capacity_));
  std::vector<nearfar::output_array> all;
  const auto add = [&](const char* name, output_part part, element_type type, std::int64_t components = 0) {
    nearfar::output_array a{.name = name, .extents = {0}, .type = type, .is_varying = true, .part = part};
    a.own = {1, {0}, {most[all.size()]}};
    if (components > 0) a.extents.push_back(components), a.own.dimensions = 2, a.own.upper[1] = components;
    all.push_back(a);
  };
  add("points", output_part::points, element_type::float64, 3);
  add("connectivity", output_part::connectivity, element_type::int64);
  add("offsets", output_part::offsets, element_type::int64);
  add("types", output_part::types, element_type::int8);
  add("temperature", output_part::point_data, element_type::float64);
  add("level", output_part::cell_data, element_type::int8);
  add("rank", output_part::cell_data, element_type::int32);
  const auto add_fact = [&](const char* name, element_type type, std::int64_t count) {
    nearfar::output_array a{.name = name, .extents = {count}, .type = type, .part = output_part::field_data};
    if (team_.is_root()) a.own = {1, {0}, {count}};
    all.push_back(a);
  };
  add_fact("step", element_type::int64, 1);
  add_fact("centre", element_type::float64, 3);
  // Their number keeps series of another order apart.
  add_fact("nodes", element_type::float64, problem_.order + 1);
  return all;
}

void mesh_series::open(const run_state& now, bool goes_on) {
  nearfar::output_options o{.format = "vtkhdf", .attributes = facts_of(problem_), .policy = options_.policy};
  o.writers = options_.writers;
  // Pictures, as they always were, survive the program; what a run goes on from are checkpoints, which are
  // synchronised.
  o.durability = nearfar::output_durability::none;
  if (goes_on) o.opening = nearfar::output_opening::append, o.append_before = now.time;
  stream_.emplace(team_, base_, arrays(), o);
}

// A mesh that has outgrown its room gets half as much again, in a stream that goes on behind the steps there are.
void mesh_series::reserve_space(const run_state& now, std::size_t elements, bool goes_on) {
  const std::int64_t mine = !stream_ || elements > capacity_ ? 1 : 0;
  if (nearfar::allreduce(team_, mine, nearfar::reduce_op::max) == 0) return;
  const bool is_open = stream_.has_value();
  close();
  if (elements > capacity_) capacity_ = elements + elements / 2;
  if (capacity_ == 0) capacity_ = 1;
  open(now, goes_on || is_open);
}

void mesh_series::write(const run_state& now, const heat_solver& solver, bool goes_on) {
  const std::size_t elements = solver.mesh().leaves.size();
  reserve_space(now, elements, goes_on);
  stream_->begin_step(now.time, element_cells(problem_.order).rows(static_cast<std::int64_t>(elements)));
  fill(now, solver);
  stream_->end_step();
}

void mesh_series::fill(const run_state& now, const heat_solver& solver) {
  const auto& leaves = solver.mesh().leaves;
  const element_cells of(problem_.order);
  const auto cells = static_cast<std::size_t>(of.cells), volume = static_cast<std::size_t>(of.volume);
  // `make(element, values)` makes the values of one element, `per_element` of them.
  const auto each = [&]<class T>(const char* name, T*, std::size_t per_element, auto&& make) {
    auto* to = static_cast<T*>(stream_->slot(name).data);
    for (std::size_t n = 0; n < leaves.size(); ++n) make(n, to + n * per_element);
    return to;
  };
  double* const reals = nullptr;
  std::int64_t* const integers = nullptr;
  std::int8_t* const bytes = nullptr;
  each("points", reals, 3 * volume, [&](std::size_t n, double* to) { fill_points(leaves[n], problem_, to); });
  each("temperature", reals, volume, [&](std::size_t n, double* to) { solver.elements().copy_values(n, to); });
  const auto corner = of.all_corners();
  each("connectivity", integers, corner.size(), [&](std::size_t n, std::int64_t* to) {
    for (const std::int64_t c : corner) *to++ = static_cast<std::int64_t>(n) * of.volume + c;
  });
  // One value more than there are cells.
  auto* const offsets = each("offsets", integers, cells, [&](std::size_t n, std::int64_t* to) {
    for (std::int64_t c = 0; c < of.cells; ++c) *to++ = (static_cast<std::int64_t>(n) * of.cells + c) * corners;
  });
  if (!leaves.empty()) offsets[leaves.size() * cells] = static_cast<std::int64_t>(leaves.size() * cells) * corners;
  each("types", bytes, cells, [&](std::size_t, std::int8_t* to) { std::fill_n(to, cells, hexahedron); });
  each("level", bytes, cells,
       [&](std::size_t n, std::int8_t* to) { std::fill_n(to, cells, static_cast<std::int8_t>(leaves[n].level)); });
  each("rank", static_cast<std::int32_t*>(nullptr), cells,
       [&](std::size_t, std::int32_t* to) { std::fill_n(to, cells, team_.rank()); });
  const std::int64_t step = now.step;
  const ball b =
      moving_ball{.start = problem_.centre, .velocity = problem_.velocity, .radius = problem_.radius}.at(now.time);
  const std::vector<double> centre(b.centre.begin(), b.centre.end());
  stream_->put("step", &step);
  stream_->put("centre", centre.data());
  stream_->put("nodes", ops(problem_.order).zeta.data());
}

void mesh_series::close() {
  if (stream_) stream_->close();
  stream_.reset();
}

}  // namespace adaptive_heat
