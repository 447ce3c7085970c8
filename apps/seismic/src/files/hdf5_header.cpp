// SPDX-License-Identifier: BSD-3-Clause
// Attributes, and what the references of the attribute DIMENSION_LIST lead to.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <files/hdf5_header.hpp>

namespace seismic {
namespace {

using nearfar::hdf5::handle;

constexpr hssize_t most_numbers = hssize_t{1} << 24;

bool is_number(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  return kind == H5T_FLOAT || kind == H5T_INTEGER;
}

/// Empty: there is no such attribute, or it is not of numbers.
std::vector<double> numbers_of(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return {};
  const handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose), type(H5Aget_type(attribute), H5Tclose),
      space(H5Aget_space(attribute), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (!is_number(type) || count < 1 || count > most_numbers) return {};
  std::vector<double> numbers(static_cast<std::size_t>(count));
  if (H5Aread(attribute, H5T_NATIVE_DOUBLE, numbers.data()) < 0) numbers.clear();
  return numbers;
}

/// "": there is no such attribute, or it is no text.
std::string text_of(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return {};
  const handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose), type(H5Aget_type(attribute), H5Tclose),
      space(H5Aget_space(attribute), H5Sclose);
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) return {};
  if (H5Tis_variable_str(type) > 0) {
    char* letters = nullptr;
    if (H5Aread(attribute, type, static_cast<void*>(&letters)) < 0 || letters == nullptr) return {};
    std::string text = letters;
    H5free_memory(letters);
    return text;
  }
  std::string text(H5Tget_size(type) + 1, '\0');
  if (H5Aread(attribute, type, text.data()) < 0) return {};
  text.resize(std::strlen(text.c_str()));
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

/// Empty: not a row of so many numbers.
std::vector<double> places_in(hid_t scale, index_t count) {
  const handle type(H5Dget_type(scale), H5Tclose), space(H5Dget_space(scale), H5Sclose);
  if (!is_number(type) || H5Sget_simple_extent_ndims(space) != 1 || H5Sget_simple_extent_npoints(space) != count)
    return {};
  std::vector<double> places(static_cast<std::size_t>(count));
  if (H5Dread(scale, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, places.data()) < 0) places.clear();
  return places;
}

/// Of netCDF's dimensions that have no places of their own.
bool is_without_places(hid_t scale) { return text_of(scale, "NAME").starts_with("This is a netCDF dimension but not"); }

void read_scale(hid_t data, const hobj_ref_t& to, std::size_t d, std::span<const index_t> extents, file_header& all) {
  const handle scale(H5Rdereference2(data, H5P_DEFAULT, H5R_OBJECT, &to), H5Oclose);
  if (scale < 0 || H5Iget_type(scale) != H5I_DATASET || is_without_places(scale) || extents[d] < 2) return;
  const std::vector<double> places = places_in(scale, extents[d]);
  constexpr double rounding = 1e-6;  // of floats
  all.axes[d] =
      even_axis(places, places.empty() ? 0 : rounding * std::max(std::abs(places.front()), std::abs(places.back())));
  if (std::isnan(all.axes[d].spacing))
    all.unclear.push_back("a scale of its dimension " + std::to_string(d + 1) + " that is not evenly spaced upwards");
  else
    all.axes[d].unit = text_of(scale, "units");
}

/// A list of references for each dimension; the first of each is followed.
void read_scales(hid_t data, std::span<const index_t> extents, file_header& all) {
  if (H5Aexists(data, "DIMENSION_LIST") <= 0) return;
  const handle attribute(H5Aopen(data, "DIMENSION_LIST", H5P_DEFAULT), H5Aclose),
      space(H5Aget_space(attribute), H5Sclose), has(H5Aget_type(attribute), H5Tclose);
  if (H5Tget_class(has) != H5T_VLEN || H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(extents.size()))
    return;
  const handle type(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose);
  std::vector<hvl_t> lists(extents.size());
  if (H5Aread(attribute, type, lists.data()) < 0) return;
  for (std::size_t d = 0; d < extents.size(); ++d)
    if (lists[d].len > 0) read_scale(data, *static_cast<const hobj_ref_t*>(lists[d].p), d, extents, all);
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, lists.data());
}

/// Of the data set or else of the file, for each dimension.
void read_list(hid_t file, hid_t data, const char* name, double array_axis::*to, file_header& all) {
  std::vector<double> numbers = numbers_of(data, name);
  if (numbers.empty()) numbers = numbers_of(file, name);
  if (numbers.empty()) return;
  if (numbers.size() != 1 && numbers.size() != all.axes.size()) {
    all.unclear.push_back("an attribute " + std::string(name) + " of " + std::to_string(numbers.size()) + " numbers");
    return;
  }
  for (std::size_t d = 0; d < all.axes.size(); ++d)
    if (std::isnan(all.axes[d].*to)) all.axes[d].*to = numbers[numbers.size() == 1 ? 0 : d];
}

double number_of(hid_t file, hid_t data, const std::string& name) {
  for (const hid_t object : {data, file})
    if (const auto numbers = numbers_of(object, name.c_str()); numbers.size() == 1) return numbers[0];
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

file_header hdf5_header(hid_t file, hid_t data, std::span<const index_t> extents) {
  file_header all;
  all.axes.resize(extents.size());
  read_scales(data, extents, all);
  const handle root(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose);
  read_list(root, data, "spacing", &array_axis::spacing, all);
  read_list(root, data, "origin", &array_axis::origin, all);
  for (const dimension d : {z, y, x}) {
    const std::string letter(1, "zyx"[d]);
    all.by_name[d] = {number_of(root, data, letter + '0'), number_of(root, data, 'd' + letter)};
  }
  return all;
}

}  // namespace seismic
