// SPDX-License-Identifier: BSD-3-Clause
// A flow from snapshots: each rank reads its own points.
#include <nearfar/error.hpp>
#include <nearfar/output_reader.hpp>
#include <solver/file_points.hpp>
#include <solver/from_file.hpp>

namespace turbulence {
namespace {

std::string shown(const std::vector<index_t>& extents) {
  std::string words;
  for (const index_t n : extents) words += (words.empty() ? "" : " x ") + std::to_string(n);
  return words;
}

/// @throws nearfar::usage_error  it is not there where it must be, or is of another grid
bool has_field(const nearfar::output_reader& file, const std::string& name, const space& on, bool is_needed) {
  for (const nearfar::output_array& a : file.arrays()) {
    if (a.name != name) continue;
    const std::vector<index_t> wanted(on.points().begin(), on.points().end());
    if (a.extents != wanted)
      throw nearfar::usage_error(file.path() + ": " + name + " has " + shown(a.extents) +
                                 " points (z, y, x), and the flow's grid " + shown(wanted));
    if (a.type != nearfar::element_type::float32 && a.type != nearfar::element_type::float64)
      throw nearfar::usage_error(file.path() + ": " + name + " is of another type than float32 and float64");
    return true;
  }
  if (is_needed) throw nearfar::usage_error(file.path() + " has no array " + name + "; a flow begins with u, v and w");
  return false;
}

template <class T>
void copy_points(const T* from, const real_fields& to, std::size_t field, const space& on) {
  const nearfar::box& own = on.layout().physical().parts.own();
  const nearfar::array_shape shape = nearfar::shape_of(on.layout().physical());
  for (index_t k = own.lower[0]; k < own.upper[0]; ++k)
    for (index_t j = own.lower[1]; j < own.upper[1]; ++j)
      for (index_t i = own.lower[2]; i < own.upper[2]; ++i)
        to.data(field)[shape.offset({k, j, i})] = static_cast<double>(*from++);
}

void read(nearfar::output_reader& file, const std::string& name, const real_fields& to, std::size_t field,
          const space& on) {
  for (const nearfar::output_array& a : file.arrays()) {
    if (a.name != name) continue;
    const void* const data = file.slot(name).data;
    if (data == nullptr) return;
    a.type == nearfar::element_type::float32 ? copy_points(static_cast<const float*>(data), to, field, on)
                                             : copy_points(static_cast<const double*>(data), to, field, on);
  }
}

}  // namespace

void take_from_file(flow& of, const std::string& path) {
  file_points points(of);
  const space& on = points.on();
  nearfar::output_reader file(on.team(), path, {.reads_ahead = false, .depth = 1});
  std::vector<nearfar::output_selection> wanted;
  const auto want = [&](const char* name, bool is_needed) {
    const bool is_there = has_field(file, name, on, is_needed);
    if (is_there) wanted.push_back({.name = name, .wanted = on.layout().physical().parts.own()});
    return is_there;
  };
  for (const char* name : {"u", "v", "w"}) want(name, true);
  const bool has_scalar = of.options().has_scalar && want("scalar", false);
  if (file.steps().empty()) throw nearfar::io_error(path + " has no snapshot that is whole");
  file.select(std::move(wanted));
  file.begin_step(static_cast<index_t>(file.steps().size()) - 1);
  for (std::size_t d = 0; d < 3; ++d) read(file, std::array{"u", "v", "w"}[d], points.three(), d, on);
  if (has_scalar) read(file, "scalar", points.one(), 0, on);
  file.end_step();
  of.take_velocity(points.three(), points.between());
  if (has_scalar) points.between().forward(points.one(), *of.state().scalar);
}

}  // namespace turbulence
