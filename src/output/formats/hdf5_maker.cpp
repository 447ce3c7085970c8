// SPDX-License-Identifier: BSD-3-Clause
// The only place that calls HDF5.
#ifdef NEARFAR_HAVE_HDF5
#include "formats/hdf5_maker.hpp"

#include <hdf5.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <hdf5/handles.hpp>
#include <numeric>
#include <utility>

#include "formats/hdf5_header.hpp"
#include "layout.hpp"

namespace nearfar::output {

using namespace hdf5;

namespace {

hid_t complex_of(hid_t part, std::size_t bytes) {
  const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * bytes);
  H5Tinsert(type, "r", 0, part);
  H5Tinsert(type, "i", bytes, part);
  return type;
}

/// The caller closes it.
hid_t new_type(element_type type, byte_meaning meaning) {
  if (meaning == byte_meaning::unsigned_number) return H5Tcopy(H5T_NATIVE_UINT8);
  if (meaning == byte_meaning::control_message) return H5Tcopy(H5T_C_S1);
  switch (type) {
    case element_type::int8:
      return H5Tcopy(H5T_NATIVE_INT8);
    case element_type::int16:
      return H5Tcopy(H5T_NATIVE_INT16);
    case element_type::int32:
      return H5Tcopy(H5T_NATIVE_INT32);
    case element_type::int64:
      return H5Tcopy(H5T_NATIVE_INT64);
    case element_type::float32:
      return H5Tcopy(H5T_NATIVE_FLOAT);
    case element_type::float64:
      return H5Tcopy(H5T_NATIVE_DOUBLE);
    case element_type::complex64:
      return complex_of(H5T_NATIVE_FLOAT, sizeof(float));
    case element_type::complex128:
      return complex_of(H5T_NATIVE_DOUBLE, sizeof(double));
    default:
      break;
  }
  return -1;
}

hid_t line_of(std::size_t count) {
  const hsize_t extent = count;
  return H5Screate_simple(1, &extent, nullptr);
}

}  // namespace

hdf5_maker::hdf5_maker(const std::string& path, int layout) : path_(path) {
  const quiet_hdf5 quiet;
  const handle made(H5Pcreate(H5P_FILE_CREATE), H5Pclose), access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  use_memory(access, memory_);
  // Where arrays in memory begin, so that they need not be copied to be written past the page cache.
  if (layout > 0) H5Pset_alignment(access, array_alignment, array_alignment);
  H5Pset_link_creation_order(made, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);  // as netCDF wants it
  H5Pset_attr_creation_order(made, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_obj_track_times(made, false);  // the same stream, the same bytes
  file_ = checked(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, made, access), "it cannot be made");
}

hdf5_maker::~hdf5_maker() {
  const quiet_hdf5 quiet;
  if (file_ >= 0) H5Fclose(file_);
}

std::int64_t hdf5_maker::checked(std::int64_t result, const std::string& what) const {
  if (result < 0) throw io_error(path_ + ": " + what + ": " + reason());
  return result;
}

std::int64_t hdf5_maker::make(const std::string& name, std::int64_t type, const std::vector<index_t>& extents,
                              bool is_early, growth grows) {
  const quiet_hdf5 quiet;
  const std::vector<hsize_t> sizes(extents.begin(), extents.end());
  const handle space(
      sizes.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr),
      H5Sclose);
  const handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose), how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  H5Pset_layout(how, H5D_CONTIGUOUS);
  H5Pset_alloc_time(how, is_early ? H5D_ALLOC_TIME_EARLY : H5D_ALLOC_TIME_LATE);
  H5Pset_fill_time(how, H5D_FILL_TIME_NEVER);
  H5Pset_obj_track_times(how, false);
  // Headers that remember that order have a sum, and so cannot be changed in place.
  if (grows == growth::none) H5Pset_attr_creation_order(how, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  return checked(H5Dcreate2(file_, name.c_str(), type, space, links, how, H5P_DEFAULT), name + " cannot be made");
}

void hdf5_maker::add_later(const std::string& name, element_type type, const std::vector<index_t>& extents,
                           byte_meaning meaning, growth grows) {
  const handle kind(new_type(type, meaning), H5Tclose);
  const handle made(make(name, kind, extents, true, grows), H5Dclose);
  index_t bytes = bytes_of(type);
  for (const index_t e : extents) bytes *= e;
  later_.push_back({name, bytes, grows});
}

void hdf5_maker::add_values(const std::string& name, const std::vector<double>& values) {
  const handle made(make(name, H5T_NATIVE_DOUBLE, {as_index(values.size())}, true), H5Dclose);
  checked(H5Dwrite(made, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), name + " cannot be written");
}

void hdf5_maker::add_values(const std::string& name, const std::vector<std::int64_t>& values,
                            const std::vector<index_t>& extents) {
  const auto shape = extents.empty() ? std::vector{as_index(values.size())} : extents;
  const handle made(make(name, H5T_NATIVE_INT64, shape, true), H5Dclose);
  checked(H5Dwrite(made, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), name + " cannot be written");
}

void hdf5_maker::add_scalar(const std::string& name, double value) {
  const handle made(make(name, H5T_NATIVE_DOUBLE, {}, true), H5Dclose);
  checked(H5Dwrite(made, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value), name + " cannot be written");
}

void hdf5_maker::add_mapped(const std::string& name, const hdf5_source& first, const std::vector<std::string>& files,
                            const std::vector<index_t>& rows) {
  const quiet_hdf5 quiet;
  std::vector<hsize_t> sizes(first.extents.begin(), first.extents.end()), start(sizes.size(), 0);
  sizes[0] = static_cast<hsize_t>(std::accumulate(rows.begin(), rows.end(), index_t{0}));
  const int dimensions = static_cast<int>(sizes.size());
  const handle space(H5Screate_simple(dimensions, sizes.data(), nullptr), H5Sclose);
  const handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose), how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  H5Pset_obj_track_times(how, false);
  for (std::size_t f = 0; f < files.size(); ++f) {
    if (rows[f] == 0) continue;
    sizes[0] = static_cast<hsize_t>(rows[f]);
    const handle there(H5Screate_simple(dimensions, sizes.data(), nullptr), H5Sclose);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, sizes.data(), nullptr);
    checked(H5Pset_virtual(how, space, files[f].c_str(), name.c_str(), there), name + " cannot be mapped");
    start[0] += sizes[0];
  }
  H5Sselect_all(space);
  const handle made(checked(H5Dcreate2(file_, name.c_str(), first.type, space, links, how, H5P_DEFAULT), name),
                    H5Dclose);
}

void hdf5_maker::add_group(const std::string& name) {
  const handle made(checked(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), name), H5Gclose);
}

// As netCDF does it: https://docs.unidata.ucar.edu/netcdf-c, "NetCDF-4 Format".
void hdf5_maker::make_dimension(const std::string& name, index_t extent, int id, bool has_values) {
  if (!has_values) const handle made(make(name, H5T_IEEE_F32BE, {extent}, false), H5Dclose);
  char words[80];
  std::snprintf(words, sizeof words, "This is a netCDF dimension but not a netCDF variable. %10lld",
                static_cast<long long>(extent));
  const handle d(checked(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), name), H5Dclose);
  checked(H5DSset_scale(d, has_values ? name.c_str() : words), name + " cannot be made a dimension");
  const handle space(H5Screate(H5S_SCALAR), H5Sclose);
  note(name, "_Netcdf4Dimid", H5T_NATIVE_INT, space, &id);
}

void hdf5_maker::use_dimension(const std::string& name, int axis, const std::string& dimension) {
  const handle d(checked(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), name), H5Dclose);
  const handle scale(checked(H5Dopen2(file_, dimension.c_str(), H5P_DEFAULT), dimension), H5Dclose);
  checked(H5DSattach_scale(d, scale, static_cast<unsigned>(axis)), name + " cannot have the dimension " + dimension);
}

void hdf5_maker::note(const std::string& object, const std::string& key, std::int64_t type, std::int64_t space,
                      const void* value) {
  const quiet_hdf5 quiet;
  const handle o(checked(H5Oopen(file_, object.c_str(), H5P_DEFAULT), object), H5Oclose);
  const handle made(checked(H5Acreate2(o, key.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                            "the attribute " + key + " of " + object + " cannot be made"),
                    H5Aclose);
  checked(H5Awrite(made, type, value), "the attribute " + key + " cannot be written");
}

void hdf5_maker::note(const std::string& object, const std::string& key, const std::string& words) {
  const handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  H5Tset_size(type, std::max<std::size_t>(words.size(), 1));
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  note(object, key, type, space, words.c_str());
}

void hdf5_maker::note(const std::string& object, const std::string& key, const std::vector<double>& numbers) {
  note(object, key, H5T_NATIVE_DOUBLE, handle(line_of(numbers.size()), H5Sclose), numbers.data());
}

void hdf5_maker::note(const std::string& object, const std::string& key, const std::vector<std::int64_t>& numbers) {
  note(object, key, H5T_NATIVE_INT64, handle(line_of(numbers.size()), H5Sclose), numbers.data());
}

void hdf5_maker::note_count(const std::string& object, const std::string& key, std::int64_t number) {
  note(object, key, H5T_NATIVE_INT64, handle(H5Screate(H5S_SCALAR), H5Sclose), &number);
}

void hdf5_maker::note(const std::string& object, const std::string& key, const attribute_value& numbers,
                      bool of_elements) {
  const auto& whole = numbers.integers;
  const bool is_short =
      std::all_of(whole.begin(), whole.end(), [](std::int64_t n) { return n == static_cast<std::int32_t>(n); });
  const hid_t from = whole.empty() ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
  const handle to(H5Tcopy(whole.empty() ? H5T_NATIVE_DOUBLE
                          : is_short    ? H5T_NATIVE_INT32
                                        : H5T_NATIVE_INT64),
                  H5Tclose);
  const handle d(of_elements ? checked(H5Dopen2(file_, object.c_str(), H5P_DEFAULT), object) : -1, H5Dclose);
  const handle kind(of_elements ? H5Dget_type(d) : H5Tcopy(to), H5Tclose);
  // Complex elements have two numbers; the first is enough for who looks at the attribute.
  const handle part(H5Tget_class(kind) == H5T_COMPOUND ? H5Tget_member_type(kind, 0) : H5Tcopy(kind), H5Tclose);
  std::vector<std::int64_t> values(numbers.size());  // eight bytes each, whichever they are
  std::memcpy(values.data(), whole.empty() ? static_cast<const void*>(numbers.reals.data()) : whole.data(),
              values.size() * sizeof values[0]);
  checked(H5Tconvert(from, part, values.size(), values.data(), nullptr, H5P_DEFAULT),
          key + " is no number of its array's type");
  note(object, key, part, handle(line_of(values.size()), H5Sclose), values.data());
}

index_t hdf5_maker::header_of(const std::string& name) const {
  hobj_ref_t where = 0;
  checked(H5Rcreate(&where, file_, name.c_str(), H5R_OBJECT, -1), name + " has no place");
  return static_cast<index_t>(where);
}

hdf5_skeleton hdf5_maker::finish() {
  const quiet_hdf5 quiet;
  hdf5_skeleton s;
  std::vector<index_t> headers;
  std::vector<std::pair<index_t, index_t>> holes;  // where values come later: from, to
  for (const later& l : later_) {
    const handle d(checked(H5Dopen2(file_, l.name.c_str(), H5P_DEFAULT), l.name), H5Dclose);
    const haddr_t at = l.bytes == 0 ? 0 : H5Dget_offset(d);
    if (at == HADDR_UNDEF) throw io_error(path_ + ": HDF5 has no place for " + l.name);
    s.offsets[l.name] = static_cast<index_t>(at);
    if (l.bytes > 0) holes.emplace_back(static_cast<index_t>(at), static_cast<index_t>(at) + l.bytes);
    if (l.grows == growth::by_steps) headers.push_back(header_of(l.name));
  }
  checked(H5Fclose(std::exchange(file_, -1)), "it cannot be closed");
  s.bytes = memory_.end;
  for (const index_t header : headers) {
    const step_count& c = s.counts.emplace_back(count_in_header(memory_, header, path_));
    for (const number_in_file& n : c.of(0)) holes.emplace_back(n.at, n.at + as_index(sizeof n.value));
  }
  std::sort(holes.begin(), holes.end());
  holes.emplace_back(s.bytes, s.bytes);
  index_t from = 0;
  for (const auto& [begin, end] : holes) {
    if (begin > from) s.pieces.push_back({from, memory_.bytes(from, begin)});
    from = end;
  }
  return s;
}

hdf5_source::~hdf5_source() {
  if (type >= 0) H5Tclose(type);
}

hdf5_look::hdf5_look(const std::string& path) : path_(path) {
  const quiet_hdf5 quiet;
  file_ = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file_ < 0) throw io_error(path_ + " cannot be read: " + reason());
}

hdf5_look::~hdf5_look() { H5Fclose(file_); }

hdf5_source hdf5_look::find(const std::string& name) const {
  const quiet_hdf5 quiet;
  const handle d(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (d < 0) throw io_error(path_ + " has no " + name);
  const handle space(H5Dget_space(d), H5Sclose);
  std::vector<hsize_t> sizes(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
  hdf5_source s;
  s.extents.assign(sizes.begin(), sizes.end()), s.type = H5Dget_type(d);
  return s;
}

std::vector<index_t> hdf5_look::integers(const std::string& name) const {
  const quiet_hdf5 quiet;
  const handle d(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (d < 0) throw io_error(path_ + " has no " + name);
  const handle space(H5Dget_space(d), H5Sclose);
  std::vector<index_t> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  if (H5Dread(d, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw io_error(path_ + ": " + name + " cannot be read: " + reason());
  return values;
}

}  // namespace nearfar::output
#endif
