// SPDX-License-Identifier: BSD-3-Clause
#include <app/snapshots.hpp>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nearfar/collective.hpp>

namespace turbulence {
namespace {

std::vector<nearfar::output_array> snapshot_arrays(const flow& of) {
  const space& on = of.on();
  std::vector<nearfar::output_array> all;
  for (const char* name : {"u", "v", "w", "vorticity", "scalar"}) {
    if (name == std::string("scalar") && !of.options().has_scalar) continue;
    nearfar::output_array a;
    a.name = name, a.extents.assign(on.points().begin(), on.points().end());
    a.own = on.layout().physical().parts.own(), a.dimensions = {"z", "y", "x"};
    all.push_back(std::move(a));
  }
  return all;
}

std::vector<nearfar::output_axis> axes_of(const space& on) {
  std::vector<nearfar::output_axis> all;
  for (int d = 0; d < 3; ++d) {
    nearfar::output_axis axis;
    axis.name = std::string(1, "zyx"[d]);
    for (index_t i = 0; i < on.points()[static_cast<std::size_t>(d)]; ++i)
      axis.values.push_back(static_cast<double>(i) * on.spacing(d));
    all.push_back(std::move(axis));
  }
  return all;
}

nearfar::output_options how_to_write(const nearfar::team& team, const snapshot_settings& what, const space& on,
                                     std::optional<double> goes_on_from) {
  nearfar::output_options how;
  how.format = what.format, how.compression = what.compression, how.axes = axes_of(on);
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

snapshots::snapshots(flow& of, const snapshot_settings& what, std::optional<double> goes_on_from) : of_(of) {
  const nearfar::team& team = of.on().team();
  stream_.emplace(team, what.path, snapshot_arrays(of), how_to_write(team, what, of.on(), goes_on_from));
}

void snapshots::put(const char* name, const real_fields& from, std::size_t field) {
  const nearfar::output_slot to = stream_->slot(name);
  const nearfar::box& own = of_.on().layout().physical().parts.own();
  const nearfar::array_shape shape = nearfar::shape_of(of_.on().layout().physical());
  for (index_t k = own.lower[0]; k < own.upper[0]; ++k)
    for (index_t j = own.lower[1]; j < own.upper[1]; ++j) {
      const double* const row = from.data(field) + shape.offset({k, j, own.lower[2]});
      char* const there = static_cast<char*>(to.data) + (k - own.lower[0]) * to.strides_bytes[0] +
                          (j - own.lower[1]) * to.strides_bytes[1];
      for (index_t i = 0; i < own.extent(2); ++i)
        reinterpret_cast<float*>(there)[i] = static_cast<float>(row[i * shape.strides[2]]);
    }
}

void snapshots::write(double time) {
  stream_->begin_step(time);
  flow_state& now = of_.state();
  of_.between().backward(now.velocity, of_.points_a());
  for (std::size_t d = 0; d < 3; ++d) put(std::array{"u", "v", "w"}[d], of_.points_a(), d);
  of_.curl(now.velocity, of_.modes_a());
  const real_fields& w = of_.points_b();
  of_.between().backward(of_.modes_a(), w);
  for (index_t i = 0; i < w.elements(); ++i)
    w.data(0)[i] = std::sqrt(w.data(0)[i] * w.data(0)[i] + w.data(1)[i] * w.data(1)[i] + w.data(2)[i] * w.data(2)[i]);
  put("vorticity", w, 0);
  if (now.scalar) of_.between().backward(*now.scalar, of_.point_scalar()), put("scalar", of_.point_scalar(), 0);
  stream_->end_step();
}

}  // namespace turbulence
