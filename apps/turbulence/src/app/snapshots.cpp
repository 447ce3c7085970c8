// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <app/snapshots.hpp>
#include <cmath>
#include <common/described_snapshots.hpp>
#include <filesystem>
#include <limits>
#include <nearfar/collective.hpp>

namespace turbulence {
namespace {

/// Of the box of points that is written, slowest first.
nearfar::box part_of(const snapshot_settings& what, const space& on) {
  nearfar::box part;
  part.dimensions = 3;
  for (std::size_t d = 0; d < 3; ++d) {
    const index_t n = on.points()[d];
    const double low = what.from[2 - d] * static_cast<double>(n), high = what.to[2 - d] * static_cast<double>(n);
    index_t first = static_cast<index_t>(std::ceil(low - 1e-9)), last = static_cast<index_t>(std::floor(high + 1e-9));
    if (last < first) first = last = static_cast<index_t>(std::lround(low));  // a slice between points: the nearest
    part.lower[d] = std::min(first, n - 1), part.upper[d] = std::min(last, n - 1) + 1;
  }
  return part;
}

const char* meaning_of(const std::string& name) {
  if (name == "u") return "velocity along x";
  if (name == "v") return "velocity along y";
  if (name == "w") return "velocity along z";
  return name == "vorticity" ? "magnitude of the vorticity" : "scalar";
}

std::vector<nearfar::output_array> snapshot_arrays(const space& on, bool has_scalar, const snapshot_settings& what,
                                                   const nearfar::box& part) {
  std::vector<nearfar::output_array> all;
  for (const std::string& name : what.fields) {
    if (name == "scalar" && !has_scalar) continue;
    nearfar::output_array a;
    a.name = name, a.dimensions = {"z", "y", "x"};
    a.type = what.is_double ? nearfar::element_type::float64 : nearfar::element_type::float32;
    a.own = nearfar::intersection(on.layout().physical().parts.own(), part);
    for (std::size_t d = 0; d < 3; ++d) {
      a.extents.push_back(part.upper[d] - part.lower[d]);
      a.own.lower[d] -= part.lower[d], a.own.upper[d] -= part.lower[d];
    }
    if (a.own.is_empty()) a.own = {3, {0, 0, 0}, {0, 0, 0}};
    apps::describe(a, what.format, meaning_of(name), "1");
    all.push_back(std::move(a));
  }
  return all;
}

std::vector<nearfar::output_axis> axes_of(const space& on, const nearfar::box& part, const std::string& format) {
  std::vector<nearfar::output_axis> all;
  for (int d = 0; d < 3; ++d) {
    nearfar::output_axis axis;
    axis.name = std::string(1, "zyx"[d]);
    if (apps::has_attributes(format)) axis.attributes = {{"units", "1"}, {"long_name", axis.name}};
    const auto at = static_cast<std::size_t>(d);
    for (index_t i = part.lower[at]; i < part.upper[at]; ++i)
      axis.values.push_back(static_cast<double>(i) * on.spacing(d));
    all.push_back(std::move(axis));
  }
  return all;
}

nearfar::output_options how_to_write(const nearfar::team& team, const snapshot_settings& what, const space& on,
                                     const nearfar::box& part, double end, std::optional<double> goes_on_from) {
  nearfar::output_options how;
  how.format = what.format, how.compression = what.compression, how.axes = axes_of(on, part, what.format);
  const auto count = static_cast<index_t>(std::floor(end / what.interval + 1e-9)) + 1;
  apps::describe_all(how, "incompressible flow in a periodic box", "nearfar-turbulence", "1",
                     what.has_one_file ? count : 0);
  if (what.policy == "synchronous") how.policy = nearfar::output_policy::synchronous;
  if (what.policy == "thread") how.policy = nearfar::output_policy::thread;
  int is_there = team.is_root() && std::filesystem::exists(what.path + ".journal") ? 1 : 0;
  nearfar::bcast(team, is_there, 0);
  if (goes_on_from && is_there != 0) {
    how.opening = nearfar::output_opening::append;
    how.append_before = std::nextafter(*goes_on_from, std::numeric_limits<double>::max());
  }
  return how;
}

}  // namespace

snapshots::snapshots(flow& of, const snapshot_settings& what, double end, std::optional<double> goes_on_from)
    : of_(of), what_(what), points_(of), part_(part_of(what, points_.on())) {
  const nearfar::team& team = of.on().team();
  stream_.emplace(team, what.path, snapshot_arrays(points_.on(), of.options().has_scalar, what, part_),
                  how_to_write(team, what, points_.on(), part_, end, goes_on_from));
}

bool snapshots::has(const char* name) const {
  return std::find(what_.fields.begin(), what_.fields.end(), name) != what_.fields.end();
}

void snapshots::put(const char* name, const real_fields& from, std::size_t field) {
  if (!has(name)) return;
  what_.is_double ? put_as<double>(name, from, field) : put_as<float>(name, from, field);
}

template <class T>
void snapshots::put_as(const char* name, const real_fields& from, std::size_t field) {
  const nearfar::output_slot to = stream_->slot(name);
  const nearfar::box own = nearfar::intersection(points_.on().layout().physical().parts.own(), part_);
  if (own.is_empty()) return;
  const nearfar::array_shape shape = nearfar::shape_of(points_.on().layout().physical());
  for (index_t k = own.lower[0]; k < own.upper[0]; ++k)
    for (index_t j = own.lower[1]; j < own.upper[1]; ++j) {
      const double* const row = from.data(field) + shape.offset({k, j, own.lower[2]});
      char* const there = static_cast<char*>(to.data) + (k - own.lower[0]) * to.strides_bytes[0] +
                          (j - own.lower[1]) * to.strides_bytes[1];
      for (index_t i = 0; i < own.extent(2); ++i)
        reinterpret_cast<T*>(there)[i] = static_cast<T>(row[i * shape.strides[2]]);
    }
}

void snapshots::write(double time) {
  stream_->begin_step(time);
  const flow_state& now = of_.state();
  points_.between().backward(now.velocity, points_.three());
  for (std::size_t d = 0; d < 3; ++d) put(std::array{"u", "v", "w"}[d], points_.three(), d);
  if (has("vorticity")) put_vorticity();
  if (now.scalar && has("scalar"))
    points_.between().backward(*now.scalar, points_.one()), put("scalar", points_.one(), 0);
  stream_->end_step();
}

void snapshots::put_vorticity() {
  of_.curl(of_.state().velocity, of_.modes_a());
  const real_fields& w = points_.three();
  points_.between().backward(of_.modes_a(), w);
  for (index_t i = 0; i < w.elements(); ++i)
    w.data(0)[i] = std::sqrt(w.data(0)[i] * w.data(0)[i] + w.data(1)[i] * w.data(1)[i] + w.data(2)[i] * w.data(2)[i]);
  put("vorticity", w, 0);
}

}  // namespace turbulence
