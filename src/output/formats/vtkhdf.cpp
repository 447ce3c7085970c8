// SPDX-License-Identifier: BSD-3-Clause
// VTKHDF images (https://docs.vtk.org, "VTKHDF format specification"): a file per step, and a list of them that ParaView reads.
#ifdef NEARFAR_HAVE_HDF5
#include <algorithm>

#include "formats/format.hpp"
#include "formats/hdf5_formats.hpp"
#include "formats/hdf5_maker.hpp"

namespace nearfar::output {

namespace {

/// Slowest first, always three; a fourth extent of an array is its number of components.
std::array<index, 3> points_of(const output_array& a) {
  std::array<index, 3> points{1, 1, 1};
  const std::size_t space = std::min<std::size_t>(a.extents.size(), 3);
  std::copy_n(a.extents.begin(), space, points.end() - static_cast<std::ptrdiff_t>(space));
  return points;
}

struct grid {
  std::array<double, 3> origin{0, 0, 0}, spacing{1, 1, 1};  // of x, y, z
};

grid grid_of(const format_request& r) {
  const dimension_table dimensions(r.arrays, r.options.axes);
  const auto& own = dimensions.of_array[0];
  const std::size_t space = std::min<std::size_t>(own.size(), 3);
  grid g;
  for (std::size_t d = 0; d < space; ++d) {
    const output_axis* axis = dimensions.all[own[d]].axis;
    if (axis == nullptr) continue;
    const std::size_t xyz = space - 1 - d, count = axis->values.size();
    g.origin[xyz] = axis->values.front();
    if (count > 1) g.spacing[xyz] = (axis->values.back() - axis->values.front()) / static_cast<double>(count - 1);
  }
  return g;
}

void add_image(hdf5_maker& file, const format_request& r) {
  const auto points = points_of(r.arrays[0]);
  const grid g = grid_of(r);
  const std::string image = "VTKHDF";
  file.add_group(image);
  file.note(image, "Version", std::vector<std::int64_t>{2, 0});
  file.note(image, "Type", std::string("ImageData"));
  file.note(image, "WholeExtent", std::vector<std::int64_t>{0, points[2] - 1, 0, points[1] - 1, 0, points[0] - 1});
  file.note(image, "Origin", std::vector<double>(g.origin.begin(), g.origin.end()));
  file.note(image, "Spacing", std::vector<double>(g.spacing.begin(), g.spacing.end()));
  file.note(image, "Direction", std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  for (const output_array& a : r.arrays) {
    std::vector<index> extents(points.begin(), points.end());
    if (a.extents.size() == 4) extents.push_back(a.extents[3]);
    file.add_later("VTKHDF/PointData/" + a.name, a.type, extents);
  }
  file.add_later("VTKHDF/FieldData/TimeValue", element_type::float64, {1});
}

class vtkhdf final : public format {
 public:
  const char* name() const override { return "vtkhdf"; }
  const char* words() const override {
    return "P.000012.vtkhdf per step and P.vtkhdf.series: images for ParaView, values at points";
  }
  void check(const std::vector<output_array>& arrays, const output_options& options) const override {
    const dimension_table dimensions(arrays, options.axes);
    for (const output_array& a : arrays) {
      if (a.type == element_type::complex64 || a.type == element_type::complex128)
        throw usage_error(text("array ", a.name, " is complex, which VTK has no type for; make two arrays of it"));
      if (points_of(a) != points_of(arrays[0]))
        throw usage_error(text("arrays ", arrays[0].name, " and ", a.name,
                               " have different extents, and a file of format vtkhdf ",
                               "is one image; make a stream for each"));
    }
  }
  file_plan lay_out(const format_request& r) const override {
    hdf5_maker file(r.path + ".vtkhdf");
    add_image(file, r);
    hdf5_skeleton made = file.finish();
    file_plan plan;
    for (const output_array& a : r.arrays)
      plan.places.push_back({0, made.offsets.at("VTKHDF/PointData/" + a.name), 0, {}});
    const std::string before = r.path + ".", after = ".vtkhdf";
    plan.files.push_back({.before = before,
                          .after = after,
                          .digits = 6,
                          .is_per_step = true,
                          .bytes = made.bytes,
                          .time_at = made.offsets.at("VTKHDF/FieldData/TimeValue"),
                          .pieces = std::move(made.pieces)});
    plan.headers.push_back({header_kind::series_of_files, r.path + ".vtkhdf.series", before + "\n" + after});
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
