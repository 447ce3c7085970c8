// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <app/snapshot_points.hpp>
#include <common/described_snapshots.hpp>
#include <cstdio>

namespace seismic {

namespace {

constexpr std::array<const char*, 3> dimensions{"z", "y", "x"};

/// The points of the settings' part, counted in the grid with its layers.
nearfar::box part_of(const settings& s, const ground& g) {
  if (s.snapshots.has_sides) return g.all.whole();
  nearfar::box part = snapshot_part(s);
  for (std::size_t d = 0; d < 3; ++d) {
    const int before = g.layers.low(static_cast<int>(d));
    part.lower[d] += before, part.upper[d] += before;
  }
  return part;
}

/// Those of every stride-th point of `whole` from its first one on that lie in `own`, by their number.
nearfar::box strided(const nearfar::box& whole, const nearfar::box& own, const std::array<index_t, 3>& stride) {
  nearfar::box b{3, {}, {}};
  for (std::size_t d = 0; d < 3; ++d) {
    const auto number = [&](index_t at) {
      return (std::clamp(at, whole.lower[d], whole.upper[d]) - whole.lower[d] + stride[d] - 1) / stride[d];
    };
    b.lower[d] = number(own.lower[d]), b.upper[d] = number(own.upper[d]);
  }
  return b.is_empty() ? nearfar::box{3, {}, {}} : b;
}

index_t extent(const snapshot_points& points, std::size_t d) {
  return (points.part.upper[d] - points.part.lower[d] + points.stride[d] - 1) / points.stride[d];
}

double spacing_m(const snapshot_points& points, const grid& all, std::size_t d) {
  return all.spacing_m[d] * static_cast<double>(points.stride[d]);
}

double first_m(const snapshot_points& points, const grid& all, std::size_t d) {
  return all.origin_m[d] + all.spacing_m[d] * static_cast<double>(points.part.lower[d]);
}

std::string shown(double number) {
  char words[32];
  std::snprintf(words, sizeof words, "%.9g", number);
  return words;
}

}  // namespace

snapshot_points points_of(const settings& what, const ground& on, const nearfar::box& own) {
  const nearfar::box part = part_of(what, on);
  return {part, what.snapshots.stride, strided(part, own, what.snapshots.stride)};
}

frame_part frame_of(const snapshot_points& points, const nearfar::box& own) {
  frame_part part;
  part.stride = points.stride;
  for (std::size_t d = 0; d < 3; ++d) {
    part.first[d] = points.part.lower[d] + points.own.lower[d] * points.stride[d] - own.lower[d];
    part.counts[d] = points.own.extent(static_cast<int>(d));
  }
  return part;
}

nearfar::output_array array_of(const snapshot_points& points, const grid& all, const std::string& format) {
  nearfar::output_array p;
  p.name = "p", p.own = points.own;
  p.attributes = {{"units", "Pa"}};
  if (apps::has_attributes(format)) p.attributes.insert(p.attributes.begin(), {"long_name", "pressure of the waves"});
  for (std::size_t d = 0; d < 3; ++d) {
    p.extents.push_back(extent(points, d)), p.dimensions.emplace_back(dimensions[d]);
    const std::string number = std::to_string(3 - d);
    if (format == "rsf")
      p.attributes.insert(p.attributes.end(), {{"d" + number, shown(spacing_m(points, all, d))},
                                               {"o" + number, shown(first_m(points, all, d))},
                                               {"label" + number, dimensions[d]},
                                               {"unit" + number, "m"}});
  }
  return p;
}

std::vector<nearfar::output_axis> axes_of(const snapshot_points& points, const grid& all, const std::string& format) {
  std::vector<nearfar::output_axis> axes;
  for (std::size_t d = 0; d < 3 && format != "rsf"; ++d) {
    const double spacing = spacing_m(points, all, d), first = first_m(points, all, d);
    nearfar::output_axis axis;
    constexpr const char* meanings[] = {"depth", "distance along y", "distance along x"};
    axis.name = dimensions[d], axis.attributes = {{"units", "m"}};
    if (apps::has_attributes(format)) axis.attributes.insert(axis.attributes.begin(), {"long_name", meanings[d]});
    for (index_t n = 0; n < extent(points, d); ++n) axis.values.push_back(first + spacing * static_cast<double>(n));
    axes.push_back(std::move(axis));
  }
  return axes;
}

}  // namespace seismic
