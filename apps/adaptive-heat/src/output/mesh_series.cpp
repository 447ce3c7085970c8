// SPDX-License-Identifier: BSD-3-Clause
// Version 2.0 of the format: https://docs.vtk.org, "VTKHDF format specification".
#include <algorithm>
#include <array>
#include <base/agreement.hpp>
#include <cstdio>
#include <element/operators.hpp>
#include <filesystem>
#include <nearfar/collective.hpp>
#include <nearfar/error.hpp>
#include <output/mesh_series.hpp>
#include <output/shared_file.hpp>

namespace adaptive_heat {
namespace {

constexpr std::int64_t corners = 8;
constexpr std::uint8_t hexahedron = 12;  // VTK_HEXAHEDRON
constexpr const char* ending = ".vtkhdf";

/// Data sets in the order in which they are laid out.
enum : std::size_t { points_set, connectivity_set, offsets_set, types_set, temperature_set, level_set, rank_set };

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
};

/// The elements of all ranks in the order of the curve.
struct placement {
  std::vector<std::int64_t> elements;  ///< of the ranks that have some
  std::int64_t first = 0, all = 0;     ///< before this rank's, and of all
  std::int64_t part = 0;               ///< which of those ranks this one is

  placement(const nearfar::team& members, std::int64_t own) {
    std::vector<std::int64_t> of_rank(static_cast<std::size_t>(members.size()));
    nearfar::allgather(members, std::span<const std::int64_t>(&own, 1), std::span<std::int64_t>(of_rank));
    for (std::size_t r = 0; r < of_rank.size(); ++r) {
      if (r == static_cast<std::size_t>(members.rank())) first = all, part = static_cast<std::int64_t>(elements.size());
      all += of_rank[r];
      if (of_rank[r] > 0) elements.push_back(of_rank[r]);
    }
  }
  std::int64_t parts() const { return static_cast<std::int64_t>(elements.size()); }
  std::vector<std::int64_t> times(std::int64_t factor) const {
    std::vector<std::int64_t> products = elements;
    for (auto& p : products) p *= factor;
    return products;
  }
};

/// The data sets with a value, or several, per element, in the order in which they are laid out; parts too add to the offsets.
std::vector<data_set> large_sets(const element_cells& of, std::int64_t elements, std::int64_t parts) {
  const std::int64_t volume = of.volume, cells = of.cells;
  return {{"/VTKHDF/Points", value_type::f64, {volume * elements, 3}},
          {"/VTKHDF/Connectivity", value_type::i64, {cells * corners * elements}},
          {"/VTKHDF/Offsets", value_type::i64, {cells * elements + parts}},
          {"/VTKHDF/Types", value_type::u8, {cells * elements}},
          {"/VTKHDF/PointData/temperature", value_type::f64, {volume * elements}},
          {"/VTKHDF/CellData/level", value_type::u8, {cells * elements}},
          {"/VTKHDF/CellData/rank", value_type::i32, {cells * elements}}};
}
/// Those with a value per part.
constexpr std::array<const char*, 3> part_sets{"/VTKHDF/NumberOfPoints", "/VTKHDF/NumberOfCells",
                                               "/VTKHDF/NumberOfConnectivityIds"};
std::array<std::int64_t, 3> part_values(const element_cells& of) { return {of.volume, of.cells, of.cells * corners}; }

std::vector<attribute> kind_of_file() {
  return {{"/VTKHDF", "Version", std::vector<std::int64_t>{2, 0}},
          {"/VTKHDF", "Type", std::string("UnstructuredGrid")}};
}

file_layout layout_of(const placement& where, const problem& p, const run_state& now) {
  const element_cells of(p.order);
  file_layout layout{large_sets(of, where.all, where.parts()), kind_of_file()};
  for (std::size_t i = 0; i < part_sets.size(); ++i)
    layout.data.push_back({part_sets[i], value_type::i64, {where.parts()}, where.times(part_values(of)[i])});
  const ball b = moving_ball{.start = p.centre, .velocity = p.velocity, .radius = p.radius}.at(now.time);
  const auto add = [&](const char* name, auto value) { layout.attributes.push_back({"/nearfar", name, value}); };
  add("step", std::vector<std::int64_t>{now.step});
  add("time", std::vector<double>{now.time});
  add("centre", std::vector<double>(b.centre.begin(), b.centre.end()));
  add("radius", std::vector<double>{p.radius});
  add("origin", std::vector<double>(p.origin.begin(), p.origin.end()));
  add("length", std::vector<double>{p.length});
  add("levels", std::vector<std::int64_t>{p.levels});
  add("order", std::vector<std::int64_t>{p.order});
  return layout;
}

/// Writes what each of this rank's elements has of a data set, some elements at a time.
class element_writer {
 public:
  element_writer(shared_file& file, std::int64_t first, std::size_t elements)
      : file_(file), first_(first), elements_(elements) {}

  /// `fill(element, values)` makes the values of one element, `per_element` of them; `shift` values lie before those of element 0.
  template <class T, class Fill>
  void write(std::size_t which, std::size_t per_element, std::int64_t shift, Fill&& fill) {
    constexpr std::size_t at_a_time = 256;
    std::vector<T> values(per_element * std::min(at_a_time, elements_));
    for (std::size_t begin = 0; begin < elements_; begin += at_a_time) {
      const std::size_t count = std::min(at_a_time, elements_ - begin);
      for (std::size_t n = 0; n < count; ++n) fill(begin + n, values.data() + n * per_element);
      const std::int64_t element = first_ + static_cast<std::int64_t>(begin);
      file_.write(which, shift + element * static_cast<std::int64_t>(per_element),
                  std::span<const T>(values.data(), count * per_element));
    }
  }

 private:
  shared_file& file_;
  std::int64_t first_;
  std::size_t elements_;
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

void write_elements(shared_file& file, const placement& where, const problem& p, int rank, const heat_solver& solver) {
  const auto& leaves = solver.mesh().leaves;
  element_writer out(file, where.first, leaves.size());
  const element_cells of(p.order);
  const auto cells = static_cast<std::size_t>(of.cells), volume = static_cast<std::size_t>(of.volume);
  out.write<double>(points_set, 3 * volume, 0, [&](std::size_t n, double* to) { fill_points(leaves[n], p, to); });
  out.write<double>(temperature_set, volume, 0,
                    [&](std::size_t n, double* to) { solver.elements().copy_values(n, to); });
  const auto corner = of.all_corners();
  out.write<std::int64_t>(connectivity_set, corner.size(), 0, [&](std::size_t n, std::int64_t* to) {
    for (const std::int64_t c : corner) *to++ = static_cast<std::int64_t>(n) * of.volume + c;
  });
  // A partition's offsets have one value more than it has cells; this rank's last one is its own to write.
  out.write<std::int64_t>(offsets_set, cells, where.part, [&](std::size_t n, std::int64_t* to) {
    for (std::int64_t c = 0; c < of.cells; ++c) *to++ = (static_cast<std::int64_t>(n) * of.cells + c) * corners;
  });
  const auto own_cells = static_cast<std::int64_t>(leaves.size()) * of.cells, end = own_cells * corners;
  if (own_cells > 0)
    file.write(offsets_set, where.first * of.cells + where.part + own_cells, std::span<const std::int64_t>(&end, 1));
  out.write<std::uint8_t>(types_set, cells, 0,
                          [&](std::size_t, std::uint8_t* to) { std::fill_n(to, cells, hexahedron); });
  out.write<std::uint8_t>(level_set, cells, 0,
                          [&](std::size_t n, std::uint8_t* to) { std::fill_n(to, cells, leaves[n].level); });
  out.write<std::int32_t>(rank_set, cells, 0, [&](std::size_t, std::int32_t* to) { std::fill_n(to, cells, rank); });
}

}  // namespace

mesh_series::mesh_series(const nearfar::team& members, const problem& what, const std::string& path)
    : team_(members), problem_(what) {
  const std::filesystem::path given(path);
  if (given.extension() != ending || given.stem().empty())
    throw nearfar::usage_error("--output=" + path + ": the name must end in " + ending);
  base_ = path.substr(0, path.size() - std::string(ending).size());
}

std::string mesh_series::name_of(int step) const {
  char number[16];
  std::snprintf(number, sizeof number, "_%06d", step);
  return base_ + number + ending;
}

void mesh_series::write(const run_state& now, const heat_solver& solver) {
  const placement where(team_, static_cast<std::int64_t>(solver.mesh().leaves.size()));
  shared_file file(team_, name_of(now.step), layout_of(where, problem_, now));
  write_elements(file, where, problem_, team_.rank(), solver);
  file.commit();
  agree_after(team_, [&] {
    if (!team_.is_root()) return;
    steps_.push_back({now.step, now.time, where.all, where.parts()});
    write_index();
  });
}

// ---- all times as one file ----

void mesh_series::resume(double time) {
  agree_after(team_, [&] {
    if (team_.is_root() && std::filesystem::exists(base_ + ending)) steps_ = steps_before(time);
  });
}

std::vector<mesh_series::written_step> mesh_series::steps_before(double time) const {
  const auto column = [&](const char* name) { return numbers_in(base_ + ending, std::string("/nearfar/") + name); };
  if (const int order = static_cast<int>(column("order").at(0)); order != problem_.order)
    throw nearfar::usage_error(base_ + ending + " is a series of order " + std::to_string(order) +
                               ", and the run is of order " + std::to_string(problem_.order) + ": take another name");
  const auto step = column("step"), at = column("time"), elements = column("elements"), parts = column("parts");
  std::vector<written_step> steps;
  for (std::size_t i = 0; i < step.size() && at[i] < time; ++i)
    steps.push_back({static_cast<int>(step[i]), at[i], static_cast<std::int64_t>(elements[i]),
                     static_cast<std::int64_t>(parts[i])});
  return steps;
}

/// The index has its name only when it is whole, as the files have.
void mesh_series::write_index() const {
  std::vector<std::int64_t> step, elements, parts, first_part, first_element;
  std::vector<double> time;
  std::int64_t all_elements = 0, all_parts = 0;
  for (const written_step& s : steps_) {
    step.push_back(s.step), time.push_back(s.time), elements.push_back(s.elements), parts.push_back(s.parts);
    first_part.push_back(all_parts), first_element.push_back(all_elements);
    all_elements += s.elements, all_parts += s.parts;
  }
  const auto times = [](std::vector<std::int64_t> values, std::int64_t factor) {
    for (auto& v : values) v *= factor;
    return values;
  };
  const auto count = static_cast<std::int64_t>(steps_.size());
  const element_cells of(problem_.order);
  const std::int64_t volume = of.volume, cells = of.cells;
  file_layout layout{large_sets(of, all_elements, all_parts), kind_of_file()};
  for (const char* name : part_sets) layout.data.push_back({name, value_type::i64, {all_parts}});
  for (data_set& d : layout.data) d.sources = sources_of(d.name);
  const auto add = [&](const std::string& name, const std::vector<std::int64_t>& values, bool is_column = false) {
    layout.data.push_back(
        {name, value_type::i64, is_column ? std::vector{count, std::int64_t{1}} : std::vector{count}, values});
  };
  const std::string steps = "/VTKHDF/Steps/";
  layout.data.push_back({steps + "Values", value_type::f64, {count}, {}, time});
  add(steps + "NumberOfParts", parts);
  add(steps + "PartOffsets", first_part);
  add(steps + "PointOffsets", times(first_element, volume));
  add(steps + "CellOffsets", times(first_element, cells), true);
  add(steps + "ConnectivityIdOffsets", times(first_element, cells * corners), true);
  add(steps + "PointDataOffsets/temperature", times(first_element, volume));
  add(steps + "CellDataOffsets/level", times(first_element, cells));
  add(steps + "CellDataOffsets/rank", times(first_element, cells));
  layout.attributes.push_back({"/VTKHDF/Steps", "NSteps", std::vector<std::int64_t>{count}});
  layout.data.push_back({"/nearfar/time", value_type::f64, {count}, {}, time});
  add("/nearfar/step", step);
  add("/nearfar/elements", elements);
  add("/nearfar/parts", parts);
  layout.data.push_back({"/nearfar/order", value_type::i64, {1}, {problem_.order}});
  const std::string partial = base_ + ending + ".partial";
  lay_out(partial, layout);
  rename_file(partial, base_ + ending);
}

std::vector<source_file> mesh_series::sources_of(const std::string& data_set) const {
  std::vector<source_file> files;
  for (const written_step& s : steps_) {
    auto sets = large_sets(element_cells(problem_.order), s.elements, s.parts);
    const auto found = std::find_if(sets.begin(), sets.end(), [&](const auto& d) { return d.name == data_set; });
    files.push_back(
        {std::filesystem::path(name_of(s.step)).filename(), found == sets.end() ? s.parts : found->extents[0]});
  }
  return files;
}

}  // namespace adaptive_heat
