// SPDX-License-Identifier: BSD-3-Clause
// VTKHDF unstructured grids: a file per step, each rank that has cells a part of it.
#ifdef NEARFAR_HAVE_HDF5
#include <algorithm>
#include <array>

#include "formats/hdf5_formats.hpp"
#include "formats/hdf5_maker.hpp"

namespace nearfar::output {

namespace {

struct rule {
  output_part part;
  const char* name;
  std::vector<element_type> types;
};

const std::array<rule, 4>& rules() {
  static const std::array<rule, 4> all{{{output_part::points, "Points", {element_type::float32, element_type::float64}},
                                        {output_part::connectivity, "Connectivity", {element_type::int64}},
                                        {output_part::offsets, "Offsets", {element_type::int64}},
                                        {output_part::types, "Types", {element_type::int8}}}};
  return all;
}

/// Rows of the first varying array that is this part of the grid.
index_t rows_of(const std::vector<output_array>& arrays, const std::vector<index_t>& rows, output_part part) {
  std::size_t v = 0;
  for (const output_array& a : arrays) {
    if (a.part == part) return rows[v];
    if (a.is_varying) ++v;
  }
  return 0;
}

struct part_numbers {
  std::vector<std::int64_t> points, cells, connectivity;
};

part_numbers parts_of(const std::vector<output_array>& arrays, const step_request& step) {
  part_numbers n;
  for (const auto& rows : step.rows) {
    if (rows_of(arrays, rows, output_part::offsets) == 0) continue;
    n.points.push_back(rows_of(arrays, rows, output_part::points));
    n.cells.push_back(rows_of(arrays, rows, output_part::types));
    n.connectivity.push_back(rows_of(arrays, rows, output_part::connectivity));
  }
  return n;
}

}  // namespace

bool is_grid(const std::vector<output_array>& arrays) noexcept {
  return std::any_of(arrays.begin(), arrays.end(), [](const output_array& a) { return a.part >= output_part::points; });
}

std::string vtkhdf_name(const output_array& a) {
  for (const rule& r : rules())
    if (a.part == r.part) return text("VTKHDF/", r.name);
  const char* group = a.part == output_part::cell_data    ? "CellData/"
                      : a.part == output_part::field_data ? "FieldData/"
                                                          : "PointData/";
  return text("VTKHDF/", group, a.name);
}

void check_grid(const std::vector<output_array>& arrays) {
  for (const rule& r : rules()) {
    const auto is_it = [&](const output_array& a) { return a.part == r.part; };
    const auto count = std::count_if(arrays.begin(), arrays.end(), is_it);
    if (count != 1)
      throw usage_error(text("the arrays have ", count, " with the part '", r.name,
                             "'; an unstructured grid of format ",
                             "vtkhdf has one of each: points, connectivity, offsets, types"));
    const output_array& a = *std::find_if(arrays.begin(), arrays.end(), is_it);
    if (std::find(r.types.begin(), r.types.end(), a.type) == r.types.end())
      throw usage_error(text("array ", a.name, " is a grid's ", r.name, " and has another type than these have: ",
                             "points are float32 or float64, connectivity and offsets int64, types int8"));
    const std::size_t dimensions = r.part == output_part::points ? 2 : 1;
    if (a.extents.size() != dimensions || (dimensions == 2 && a.extents[1] != 3))
      throw usage_error(text("array ", a.name, " is a grid's ", r.name, " and has other extents than these have: ",
                             "{points, 3}, and one dimension for the others"));
  }
  for (const output_array& a : arrays)
    if (a.is_varying == (a.part == output_part::field_data) || (!a.is_varying && a.extents.size() != 1) ||
        a.extents.size() > 2)
      throw usage_error(text("array ", a.name, " cannot be in an unstructured grid: all arrays vary, with one or two ",
                             "dimensions, but those of field_data, which have one dimension and do not"));
}

void check_rows_of_grid(const std::vector<output_array>& arrays, const step_request& step) {
  for (std::size_t r = 0; r < step.rows.size(); ++r) {
    const auto rows = [&](output_part part) { return rows_of(arrays, step.rows[r], part); };
    const index_t cells = rows(output_part::types), points = rows(output_part::points);
    if (const index_t offsets = rows(output_part::offsets); offsets != cells + 1 && (offsets != 0 || cells != 0))
      throw usage_error(text("rank ", r, " has ", cells, " cells and ", offsets, " offsets; ", cells + 1,
                             cells == 0 ? " or 0" : "", " are possible"));
    std::size_t v = 0;
    for (const output_array& a : arrays) {
      if (!a.is_varying) continue;
      const index_t given = step.rows[r][v++];
      const bool is_cells = a.part == output_part::cell_data, is_points = a.part == output_part::point_data;
      if ((is_cells && given != cells) || (is_points && given != points))
        throw usage_error(text("rank ", r, " has ", given, " rows of array ", a.name, "; its grid has ",
                               is_cells ? cells : points, is_cells ? " cells" : " points"));
    }
  }
}

step_layout lay_out_grid(const format_request& r, const step_request& step) {
  hdf5_maker file(r.path + ".vtkhdf", r.layout);
  file.add_group("VTKHDF");
  file.note("VTKHDF", "Version", std::vector<std::int64_t>{2, 0});
  file.note("VTKHDF", "Type", std::string("UnstructuredGrid"));
  note_all(file, "/", r.options.attributes);
  const part_numbers parts = parts_of(r.arrays, step);
  file.add_values("VTKHDF/NumberOfPoints", parts.points);
  file.add_values("VTKHDF/NumberOfCells", parts.cells);
  file.add_values("VTKHDF/NumberOfConnectivityIds", parts.connectivity);
  file.add_values("VTKHDF/FieldData/TimeValue", std::vector<double>{step.time});
  const auto arrays = arrays_of_step(r, step);
  for (const output_array& a : arrays) {
    file.add_later(vtkhdf_name(a), a.type, a.extents,
                   a.part == output_part::types ? byte_meaning::unsigned_number : byte_meaning::number);
    note_all(file, vtkhdf_name(a), a.attributes);
  }
  hdf5_skeleton made = file.finish();
  step_layout l{made.bytes, {}, {}, std::move(made.pieces)};
  for (const output_array& a : arrays) l.begins.push_back(made.offsets.at(vtkhdf_name(a)));
  return l;
}

header_file index_of_grids(const format_request& r) {
  std::string names = r.path + ".\n.vtkhdf";
  for (const output_array& a : r.arrays) names += "\n" + vtkhdf_name(a);
  return {header_kind::index_of_grids, r.path + ".vtkhdf", names};
}

}  // namespace nearfar::output
#endif
