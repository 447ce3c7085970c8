// SPDX-License-Identifier: BSD-3-Clause
// VTKHDF images (https://docs.vtk.org, "VTKHDF format specification"): a file per step, and a list of them that
// ParaView reads.
#ifdef NEARFAR_HAVE_HDF5
#include <algorithm>

#include "formats/format.hpp"
#include "formats/hdf5_formats.hpp"
#include "formats/hdf5_maker.hpp"

namespace nearfar::output {

namespace {

/// Elements, slowest first, always three; a fourth extent of an array is its number of components.
std::array<index_t, 3> elements_of(const output_array& a) {
  std::array<index_t, 3> elements{1, 1, 1};
  const std::size_t space = std::min<std::size_t>(a.extents.size(), 3);
  std::copy_n(a.extents.begin(), space, elements.end() - static_cast<std::ptrdiff_t>(space));
  return elements;
}

/// Of the image that an array's elements are values of. Dimensions that the array has not have one point and one cell.
std::array<index_t, 3> points_of(const output_array& a) {
  auto points = elements_of(a);
  const std::size_t space = std::min<std::size_t>(a.extents.size(), 3);
  for (std::size_t d = 3 - space; d < 3 && a.part == output_part::cell_data; ++d) ++points[d];
  return points;
}

/// Extents of an array's data set. VTK's readers look for no dimension there in which the image has one point, but for
/// one where it has a single point in all.
std::vector<index_t> extents_in_file(const output_array& a, int layout) {
  if (a.part == output_part::field_data) return a.extents;
  const auto elements = elements_of(a), points = points_of(a);
  std::vector<index_t> extents;
  for (std::size_t d = 0; d < 3; ++d)
    if (points[d] > 1) extents.push_back(elements[d]);
  if (extents.empty()) extents.resize(layout > 0 ? 1 : 3, 1);  // version 0.1 had three, which VTK does not read
  if (a.extents.size() == 4) extents.push_back(a.extents[3]);
  return extents;
}

const output_array& first_of_image(const std::vector<output_array>& arrays) {
  const auto found = std::find_if(arrays.begin(), arrays.end(),
                                  [](const output_array& a) { return a.part != output_part::field_data; });
  if (found == arrays.end()) throw usage_error("a file of format vtkhdf needs values at points or of cells");
  return *found;
}

struct grid {
  std::array<double, 3> origin{0, 0, 0}, spacing{1, 1, 1};  // of x, y, z
};

grid grid_of(const format_request& r) {
  const dimension_table dimensions(r.arrays, r.options.axes);
  const output_array& first = first_of_image(r.arrays);
  const auto& own = dimensions.of_array[static_cast<std::size_t>(&first - r.arrays.data())];
  const std::size_t space = std::min<std::size_t>(own.size(), 3);
  grid g;
  for (std::size_t d = 0; d < space; ++d) {
    const output_axis* axis = dimensions.all[own[d]].axis;
    if (axis == nullptr) continue;
    const std::size_t xyz = space - 1 - d, count = axis->values.size();
    g.origin[xyz] = axis->values.front();
    if (count > 1) g.spacing[xyz] = (axis->values.back() - axis->values.front()) / static_cast<double>(count - 1);
    if (first.part == output_part::cell_data) g.origin[xyz] -= g.spacing[xyz] / 2;  // values are at their middles
  }
  return g;
}

void add_image(hdf5_maker& file, const format_request& r) {
  const auto points = points_of(first_of_image(r.arrays));
  const grid g = grid_of(r);
  const std::string image = "VTKHDF";
  file.add_group(image);
  file.note(image, "Version", std::vector<std::int64_t>{2, 0});
  file.note(image, "Type", std::string("ImageData"));
  file.note(image, "WholeExtent", std::vector<std::int64_t>{0, points[2] - 1, 0, points[1] - 1, 0, points[0] - 1});
  file.note(image, "Origin", std::vector<double>(g.origin.begin(), g.origin.end()));
  file.note(image, "Spacing", std::vector<double>(g.spacing.begin(), g.spacing.end()));
  file.note(image, "Direction", std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  note_all(file, "/", r.options.attributes);
  for (const output_array& a : r.arrays) {
    file.add_later(vtkhdf_name(a), a.type, extents_in_file(a, r.layout));
    note_all(file, vtkhdf_name(a), a.attributes);
  }
  file.add_later("VTKHDF/FieldData/TimeValue", element_type::float64, {1});
}

class vtkhdf final : public format {
 public:
  const char* name() const override { return "vtkhdf"; }
  const char* words() const override {
    return "P.000012.vtkhdf per step and P.vtkhdf.series: images and unstructured grids for ParaView";
  }
  void check(const std::vector<output_array>& arrays, const output_options& options) const override {
    const dimension_table dimensions(arrays, options.axes);
    const bool is_image = !is_grid(arrays);
    if (!is_image) check_grid(arrays);
    for (const output_array& a : arrays) {
      if (is_image && a.is_varying)
        throw usage_error(text("array ", a.name, " varies; of format vtkhdf unstructured grids do, images do not"));
      if (a.type == element_type::complex64 || a.type == element_type::complex128)
        throw usage_error(text("array ", a.name, " is complex, which VTK has no type for; make two arrays of it"));
      if (a.part == output_part::field_data) continue;
      if (is_image && points_of(a) != points_of(first_of_image(arrays)))
        throw usage_error(text("arrays ", first_of_image(arrays).name, " and ", a.name,
                               " have different extents, and a file of format vtkhdf ",
                               "is one image; make a stream for each"));
    }
  }
  bool has_made(const std::string& behind) const override {
    return behind == ".vtkhdf" || behind == ".vtkhdf.series" || is_file_of_step(behind, ".vtkhdf");
  }
  bool has_varying() const override { return true; }
  void check_rows(const std::vector<output_array>& arrays, const step_request& step) const override {
    check_rows_of_grid(arrays, step);
  }
  step_layout lay_out_step(const format_request& r, const step_request& step) const override {
    return lay_out_grid(r, step);
  }
  file_plan lay_out(const format_request& r) const override {
    const header_file series{header_kind::series_of_files, r.path + ".vtkhdf.series", r.path + ".\n.vtkhdf"};
    if (is_grid(r.arrays)) {
      file_plan plan = plan_of_varying_steps(r, ".vtkhdf");
      plan.headers = {series, index_of_grids(r)};
      return plan;
    }
    hdf5_maker file(r.path + ".vtkhdf", r.layout);
    add_image(file, r);
    hdf5_skeleton made = file.finish();
    file_plan plan;
    for (const output_array& a : r.arrays) plan.places.push_back({0, made.offsets.at(vtkhdf_name(a)), 0, {}});
    const std::string before = r.path + ".", after = ".vtkhdf";
    plan.files.push_back({.before = before,
                          .after = after,
                          .digits = 6,
                          .is_per_step = true,
                          .bytes = made.bytes,
                          .time_at = made.offsets.at("VTKHDF/FieldData/TimeValue"),
                          .pieces = std::move(made.pieces)});
    plan.headers.push_back(series);
    return plan;
  }
};

}  // namespace

const format& vtkhdf_format() {
  static const vtkhdf only;
  return only;
}

}  // namespace nearfar::output
#endif
