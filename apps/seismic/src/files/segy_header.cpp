// SPDX-License-Identifier: BSD-3-Clause
// Headers of the first line, and of the first trace of each line, are read: others are taken to be like them.
#include <cmath>
#include <files/bytes.hpp>
#include <files/segy_header.hpp>

namespace seismic {
namespace {

using header_bytes = std::array<std::byte, segy::trace_header>;

class trace_headers {
 public:
  /// Traces number 0, step, 2 step, ...
  trace_headers(const apps::own_file& file, const segy_shape& s, index_t step, index_t count) : shape_(s) {
    all_.resize(static_cast<std::size_t>(count));
    for (index_t t = 0; t < count; ++t)
      file.read(s.first + t * step * s.trace_bytes(), all_[static_cast<std::size_t>(t)]);
  }
  template <class T>
  T value(std::size_t trace, std::size_t at) const {
    return integer_in<T>(all_[trace], at, shape_.is_big_endian);
  }
  std::size_t count() const { return all_.size(); }
  template <class T>
  bool are_same(std::size_t at) const {
    for (std::size_t t = 1; t < count(); ++t)
      if (value<T>(t, at) != value<T>(0, at)) return false;
    return true;
  }
  /// Metres or feet that a coordinate of 1 is.
  double scale() const {
    const auto scalar = value<std::int16_t>(0, segy::coordinate_scalar);
    return scalar == 0 ? 1 : scalar > 0 ? scalar : -1.0 / scalar;
  }
  std::vector<double> coordinates(std::size_t at) const {
    std::vector<double> all;
    for (std::size_t t = 0; t < count(); ++t) all.push_back(scale() * value<std::int32_t>(t, at));
    return all;
  }

 private:
  const segy_shape& shape_;
  std::vector<header_bytes> all_;
};

/// Where the coordinates of a trace stand.
struct coordinate_places {
  std::size_t x, y;
  const char* name;
};
constexpr coordinate_places known_places[] = {{segy::ensemble_x, segy::ensemble_y, "CDP coordinates"},
                                              {segy::source_x, segy::source_y, "source coordinates"},
                                              {segy::group_x, segy::group_y, "group coordinates"}};

std::vector<double> distances(const std::vector<double>& xs, const std::vector<double>& ys) {
  std::vector<double> from_first;
  for (std::size_t n = 0; n < xs.size(); ++n) from_first.push_back(std::hypot(xs[n] - xs[0], ys[n] - ys[0]));
  return from_first;
}

/// Along traces that follow each other along x, or along y.
array_axis axis_across(const trace_headers& of, bool is_along_y, std::vector<std::string>& unclear) {
  const std::string along = is_along_y ? "along y, " : "along x, ";
  for (const coordinate_places& at : known_places) {
    if (of.are_same<std::int32_t>(at.x) && of.are_same<std::int32_t>(at.y)) continue;
    if (const auto unit = of.value<std::int16_t>(0, segy::coordinate_unit); unit > 1) {
      unclear.push_back(along + at.name + " in degrees or seconds of arc");
      return {};
    }
    if (!of.are_same<std::int16_t>(segy::coordinate_scalar)) {
      unclear.push_back(along + at.name + " with scalars that differ");
      return {};
    }
    const std::vector<double> xs = of.coordinates(at.x), ys = of.coordinates(at.y);
    const std::vector<double>&main = is_along_y ? ys : xs, &other = is_along_y ? xs : ys;
    array_axis axis = even_axis(main, of.scale());
    if (!std::isnan(axis.spacing) && of.are_same<std::int32_t>(is_along_y ? at.x : at.y)) return axis;
    axis = even_axis(distances(main, other), 2 * of.scale());
    axis.origin = std::numeric_limits<double>::quiet_NaN();
    unclear.push_back(along + at.name +
                      (std::isnan(axis.spacing) ? " that are not evenly spaced" : " in another direction"));
    return axis;
  }
  return {};
}

double metres_of_depth(double number) { return number < 500 ? number : number / 1000; }

array_axis axis_down(std::span<const std::byte> binary, const segy_shape& s, const trace_headers& line,
                     std::vector<std::string>& unclear) {
  const int of_file = integer_in<std::uint16_t>(binary, segy::interval, s.is_big_endian),
            of_trace = line.value<std::uint16_t>(0, segy::trace_interval),
            delay = line.value<std::int16_t>(0, segy::delay);
  array_axis axis;
  if (of_file != 0 && of_trace != 0 && of_file != of_trace)
    unclear.push_back("along z, a sample interval of " + std::to_string(of_file) + " in its binary header and of " +
                      std::to_string(of_trace) + " in its first trace");
  else if (const int interval = of_file != 0 ? of_file : of_trace; interval != 0)
    axis.spacing = metres_of_depth(interval);
  if (!line.are_same<std::int16_t>(segy::delay))
    unclear.emplace_back("along z, delays that differ from trace to trace");
  else if (delay != 0)
    axis.origin = delay;
  return axis;
}

bool says_something(const array_axis& axis) { return !std::isnan(axis.spacing) || !std::isnan(axis.origin); }

}  // namespace

file_header segy_header(const apps::own_file& file, const segy_shape& s, index_t traces_per_line) {
  file_header all;
  std::array<std::byte, segy::binary_header> binary{};
  file.read(segy::text_header, binary);
  const trace_headers line(file, s, 1, traces_per_line);
  if (traces_per_line < s.traces)
    all.axes.push_back(
        axis_across(trace_headers(file, s, traces_per_line, s.traces / traces_per_line), true, all.unclear));
  all.axes.push_back(axis_across(line, false, all.unclear));
  all.axes.push_back(axis_down(binary, s, line, all.unclear));
  if (integer_in<std::int16_t>(binary, segy::measures, s.is_big_endian) == 2)
    for (array_axis& axis : all.axes)
      if (says_something(axis)) axis.unit = "ft";
  return all;
}

}  // namespace seismic
