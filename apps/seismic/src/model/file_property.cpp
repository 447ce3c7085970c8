// SPDX-License-Identifier: BSD-3-Clause
// Boxes are read in the file's order and then turned.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <files/hdf5.hpp>
#include <files/npy.hpp>
#include <files/rsf.hpp>
#include <files/segy.hpp>
#include <model/file_property.hpp>
#include <nearfar/error.hpp>
#include <vector>

namespace seismic {
namespace {

/// Where each dimension of the ground is in the file; -1: it is not there.
struct file_axes {
  std::array<int, 3> of{-1, -1, -1};
};

/// One-point dimensions before the last three are nothing.
std::vector<index_t> three_at_most(const array_source& file) {
  std::vector<index_t> extents = file.extents();
  while (extents.size() > 3 && extents.front() == 1) extents.erase(extents.begin());
  return extents;
}

bool is_segy(const std::string& name) { return name.ends_with(".sgy") || name.ends_with(".segy"); }

/// Of two or three dimensions.
file_axes axes_of(file_order order, bool is_flat) {
  file_axes at;
  if (order == file_order::depth_slowest)
    at.of = {0, is_flat ? -1 : 1, is_flat ? 1 : 2};
  else
    at.of = {is_flat ? 1 : 2, is_flat ? -1 : 0, is_flat ? 0 : 1};
  return at;
}

/// What the file says of one of its dimensions, which is d of the ground.
array_axis axis_along(const file_header& header, std::size_t number, dimension d) {
  array_axis axis = header.axes.empty() ? array_axis{} : header.axes[number];
  const array_axis& named = header.by_name[static_cast<std::size_t>(d)];
  if (std::isnan(axis.spacing)) axis.spacing = named.spacing;
  if (std::isnan(axis.origin)) axis.origin = named.origin;
  return axis;
}

class file_values : public property {
 public:
  file_values(std::shared_ptr<const array_source> file, file_order order, const grid& all, double slope)
      : file_(std::move(file)), all_(all), slope_(slope) {
    const std::vector<index_t> extents = three_at_most(*file_);
    const bool is_flat = extents.size() == 2;
    if (extents.size() != 2 && extents.size() != 3) refuse_sizes();
    leading_ = file_->extents().size() - extents.size();
    at_ = axes_of(order, is_flat);
    const index_t planes = is_flat ? 1 : extents[static_cast<std::size_t>(at_.of[y])];
    is_extruded_ = planes == 1 && all.points[y] > 1;
    for (const dimension d : {z, x})
      if (extents[static_cast<std::size_t>(at_.of[d])] != all.points[d]) refuse_sizes();
    if (planes != all.points[y] && !is_extruded_) refuse_sizes();
  }

  void read(const nearfar::box& where, std::span<float> values) const override {
    if (where.is_empty()) return;
    if (is_extruded_) return extrude(where, values);
    const std::vector<float> turned = part(where);
    std::copy(turned.begin(), turned.end(), values.begin());
  }
  std::string name() const override { return file_->name(); }
  std::string caveat() const override {
    const file_header& header = file_->header();
    std::string words;
    for (const dimension d : {x, y, z})
      if (at_.of[d] >= 0 && all_.points[d] > 1 && !(d == y && is_extruded_))
        words += difference(axis_along(header, leading_ + static_cast<std::size_t>(at_.of[d]), d), d);
    if (!words.empty()) words = file_->name() + " says of itself" + words + "; the grid is what the settings say";
    for (const std::string& u : header.unclear)
      words += (words.empty() ? file_->name() + " has " : "; it has ") + u + ", which cannot be compared with the grid";
    return words;
  }

 private:
  /// ", along x, a spacing of 20 m, not 10"; empty: it is the grid's.
  std::string difference(const array_axis& axis, dimension d) const {
    const bool is_km = axis.unit == "km", is_known = is_km || axis.unit.empty() || axis.unit == "m";
    const std::string along = std::string(", along ") + "zyx"[d] + ", ";
    if (!is_known) return along + "the unit " + axis.unit + ", not m";
    const double slack = 1e-3 * all_.spacing_m[d], unit = is_km ? 1000 : 1;
    const auto compared = [&](const char* what, double has, double wanted) -> std::string {
      if (std::isnan(has) || std::abs(unit * has - wanted) <= slack) return {};
      char text[100];
      std::snprintf(text, sizeof text, "%s of %.6g m, not %.6g", what, unit * has, wanted);
      return along + text;
    };
    return compared("a spacing", axis.spacing, all_.spacing_m[d]) +
           compared("an origin", axis.origin, all_.origin_m[d]);
  }

  [[noreturn]] void refuse_sizes() const {
    const index_t nx = all_.points[x], ny = all_.points[y], nz = all_.points[z];
    throw nearfar::usage_error(
        file_->name() + " has " + shown(file_->extents()) + " numbers (slowest first), and the grid " +
        std::to_string(nx) + " x " + std::to_string(ny) + " x " + std::to_string(nz) +
        " points along x, y and z: they must be the same, but for y, along which one plane is extruded "
        "(model.file-order says which runs fastest)");
  }

  /// A box of the file's own points, turned to z, y, x; y is ignored if the file has it not.
  std::vector<float> part(const nearfar::box& where) const {
    std::vector<index_t> lower(file_->extents().size(), 0), upper(file_->extents().size(), 1);
    std::array<index_t, 3> stride{};
    for (std::size_t d = 0; d < 3; ++d)
      if (at_.of[d] >= 0) {
        lower[leading_ + static_cast<std::size_t>(at_.of[d])] = where.lower[d];
        upper[leading_ + static_cast<std::size_t>(at_.of[d])] = where.upper[d];
      }
    for (std::size_t d = 0; d < 3; ++d)
      if (at_.of[d] >= 0) {
        stride[d] = 1;
        for (std::size_t f = leading_ + static_cast<std::size_t>(at_.of[d]) + 1; f < lower.size(); ++f)
          stride[d] *= upper[f] - lower[f];
      }
    std::vector<float> read(static_cast<std::size_t>(where.cells()));
    file_->read(lower, upper, read);
    if (at_.of[z] == 0) return read;
    std::vector<float> turned(read.size());
    std::size_t n = 0;
    for (index_t k = 0; k < where.extent(0); ++k)
      for (index_t j = 0; j < where.extent(1); ++j)
        for (index_t i = 0; i < where.extent(2); ++i)
          turned[n++] = read[static_cast<std::size_t>(k * stride[0] + j * stride[1] + i * stride[2])];
    return turned;
  }

  /// Place in the file, in its points along x.
  double place(index_t j, index_t i) const {
    const double from_middle = static_cast<double>(j) - 0.5 * static_cast<double>(all_.points[y] - 1);
    const double shift = slope_ * from_middle * all_.spacing_m[y] / all_.spacing_m[x];
    return std::clamp(static_cast<double>(i) - shift, 0.0, static_cast<double>(all_.points[x] - 1));
  }

  void extrude(const nearfar::box& where, std::span<float> values) const {
    nearfar::box plane{3, {where.lower[0], 0, 0}, {where.upper[0], 1, all_.points[x]}};
    const index_t corner_a = static_cast<index_t>(
        std::min(place(where.lower[1], where.lower[2]), place(where.upper[1] - 1, where.lower[2])));
    const double corner_b =
        std::max(place(where.lower[1], where.upper[2] - 1), place(where.upper[1] - 1, where.upper[2] - 1));
    plane.lower[2] = corner_a, plane.upper[2] = std::min(all_.points[x], static_cast<index_t>(corner_b) + 2);
    const std::vector<float> read = part(plane);
    std::size_t n = 0;
    for (index_t k = 0; k < where.extent(0); ++k)
      for (index_t j = where.lower[1]; j < where.upper[1]; ++j)
        for (index_t i = where.lower[2]; i < where.upper[2]; ++i)
          values[n++] = between(std::span(read).subspan(static_cast<std::size_t>(k * plane.extent(2)),
                                                        static_cast<std::size_t>(plane.extent(2))),
                                place(j, i) - static_cast<double>(corner_a));
  }

  static float between(std::span<const float> row, double at) {
    const auto low = static_cast<std::size_t>(at);
    const double share = at - static_cast<double>(low);
    if (share == 0 || low + 1 >= row.size()) return row[low];
    return static_cast<float>((1 - share) * static_cast<double>(row[low]) + share * static_cast<double>(row[low + 1]));
  }

  std::shared_ptr<const array_source> file_;
  grid all_;
  double slope_;
  file_axes at_;
  std::size_t leading_ = 0;
  bool is_extruded_ = false;
};

}  // namespace

grid grid_of_file(const array_source& file, file_order order) {
  const std::vector<index_t> extents = three_at_most(file);
  if (extents.size() != 2 && extents.size() != 3)
    throw nearfar::usage_error(file.name() + " has " + shown(file.extents()) +
                               " numbers: a grid is taken from two or three dimensions");
  const file_axes at = axes_of(is_segy(file.name()) ? file_order::depth_fastest : order, extents.size() == 2);
  const std::size_t leading = file.extents().size() - extents.size();
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  grid g{.points = {1, 1, 1}, .spacing_m = {unknown, unknown, unknown}, .origin_m = {unknown, unknown, unknown}};
  for (const dimension d : {z, y, x}) {
    if (at.of[d] < 0) continue;
    const auto n = static_cast<std::size_t>(at.of[d]);
    g.points[d] = extents[n];
    const array_axis axis = axis_along(file.header(), leading + n, d);
    if (!axis.unit.empty() && axis.unit != "m" && axis.unit != "km")
      throw nearfar::usage_error(file.name() + ": its unit along " + "zyx"[d] + " is " + axis.unit +
                                 ", and a grid is taken from m and km");
    const double unit = axis.unit == "km" ? 1000 : 1;
    g.spacing_m[d] = unit * axis.spacing, g.origin_m[d] = unit * axis.origin;
  }
  return g;
}

std::shared_ptr<const array_source> open_array(const std::string& name) {
  if (name.ends_with(".rsf")) return std::make_shared<array_file>(rsf_layout(name));
  if (name.ends_with(".npy")) return std::make_shared<array_file>(npy_layout(name));
  if (is_segy(name)) return open_segy(name);
  for (const std::string ending : {".h5", ".hdf5"}) {
    if (name.ends_with(ending)) return open_hdf5(name, "");
    if (const auto at = name.find(ending + ":"); at != std::string::npos)
      return open_hdf5(name.substr(0, at + ending.size()), name.substr(at + ending.size() + 1));
  }
  throw nearfar::usage_error(
      name + ": models are read from files *.rsf, *.npy, *.sgy, *.segy, *.h5 and *.hdf5 (with :/dataset)");
}

shared_property file_property(std::shared_ptr<const array_source> file, file_order order, const grid& all,
                              double slope) {
  if (is_segy(file->name())) order = file_order::depth_fastest;
  return std::make_shared<file_values>(std::move(file), order, all, slope);
}

}  // namespace seismic
