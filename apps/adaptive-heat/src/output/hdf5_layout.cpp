// SPDX-License-Identifier: BSD-3-Clause
// Data sets are contiguous and allocated early, so that their place in the file is known before anybody writes.
#include <hdf5.h>

#include <common/own_file.hpp>
#include <filesystem>
#include <hdf5/handles.hpp>
#include <nearfar/error.hpp>
#include <output/hdf5_layout.hpp>
#include <output/seal.hpp>
#include <utility>

namespace adaptive_heat {
namespace {

using nearfar::hdf5::handle;
using nearfar::hdf5::reason;

/// Says which file it is that HDF5 has something against.
class quiet_hdf5 : nearfar::hdf5::quiet_hdf5 {
 public:
  explicit quiet_hdf5(std::string path) : path_(std::move(path)) {}

  template <class Result>
  Result checked(Result result, const std::string& what) const {
    if (result < 0) throw nearfar::io_error(path_ + ": " + what + ": " + reason());
    return result;
  }

 private:
  std::string path_;
};

hid_t native(value_type type) {
  switch (type) {
    case value_type::f64:
      return H5T_NATIVE_DOUBLE;
    case value_type::i64:
      return H5T_NATIVE_INT64;
    case value_type::u64:
      return H5T_NATIVE_UINT64;
    case value_type::i32:
      return H5T_NATIVE_INT32;
    case value_type::u8:
      return H5T_NATIVE_UINT8;
  }
  return H5T_NATIVE_DOUBLE;
}

class layout_writer {
 public:
  layout_writer(const std::string& path, const quiet_hdf5& hdf5)
      : hdf5_(hdf5),
        file_(hdf5.checked(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "it cannot be made"),
              H5Fclose),
        with_groups_(H5Pcreate(H5P_LINK_CREATE), H5Pclose),
        contiguous_(H5Pcreate(H5P_DATASET_CREATE), H5Pclose) {
    H5Pset_create_intermediate_group(with_groups_, 1);
    H5Pset_layout(contiguous_, H5D_CONTIGUOUS);
    H5Pset_alloc_time(contiguous_, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(contiguous_, H5D_FILL_TIME_NEVER);
  }

  std::int64_t add(const data_set& d) const {
    const std::vector<hsize_t> extents(d.extents.begin(), d.extents.end());
    const handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose);
    const handle made(
        hdf5_.checked(H5Dcreate2(file_, d.name.c_str(), native(d.type), space, with_groups_, contiguous_, H5P_DEFAULT),
                      d.name + " cannot be made"),
        H5Dclose);
    return static_cast<std::int64_t>(H5Dget_offset(made));
  }

  void add(const attribute& a) const {
    const bool is_there = a.group == "/" || H5Lexists(file_, a.group.c_str(), H5P_DEFAULT) > 0;
    const handle group(
        hdf5_.checked(is_there ? H5Gopen2(file_, a.group.c_str(), H5P_DEFAULT)
                               : H5Gcreate2(file_, a.group.c_str(), with_groups_, H5P_DEFAULT, H5P_DEFAULT),
                      a.group + " cannot be made"),
        H5Gclose);
    std::visit([&](const auto& value) { add_value(group, a.name, value); }, a.value);
  }

  void close() { hdf5_.checked(H5Fclose(file_.release()), "it cannot be closed"); }

 private:
  void add_value(hid_t group, const std::string& name, const std::string& text) const {
    const handle type(H5Tcopy(H5T_C_S1), H5Tclose);  // a fixed length: readers of VTK's want it so
    H5Tset_size(type, text.size());
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    const handle space(H5Screate(H5S_SCALAR), H5Sclose);
    write(group, name, type, space, text.data());
  }
  void add_value(hid_t group, const std::string& name, const std::vector<std::int64_t>& v) const {
    write(group, name, H5T_NATIVE_INT64, line(v.size()), v.data());
  }
  void add_value(hid_t group, const std::string& name, const std::vector<double>& v) const {
    write(group, name, H5T_NATIVE_DOUBLE, line(v.size()), v.data());
  }
  static handle line(std::size_t size) {
    const hsize_t extent = size;
    return {size == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &extent, nullptr), H5Sclose};
  }
  void write(hid_t group, const std::string& name, hid_t type, hid_t space, const void* value) const {
    const handle made(hdf5_.checked(H5Acreate2(group, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                                    "the attribute " + name + " cannot be made"),
                      H5Aclose);
    hdf5_.checked(H5Awrite(made, type, value), "the attribute " + name + " cannot be written");
  }

  const quiet_hdf5& hdf5_;
  handle file_;
  handle with_groups_, contiguous_;
};

class layout_reader {
 public:
  layout_reader(const std::string& path, const quiet_hdf5& hdf5)
      : path_(path),
        hdf5_(hdf5),
        file_(hdf5.checked(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "this is no whole HDF5 file"),
              H5Fclose) {}

  void check_format(const std::string& format) const {
    std::string found(64, '\0');
    const handle a(H5Aexists(file_, "format") > 0 ? H5Aopen(file_, "format", H5P_DEFAULT) : -1, H5Aclose);
    if (a < 0) throw nearfar::io_error(path_ + " is not of the format '" + format + "'");
    const handle type(H5Aget_type(a), H5Tclose);
    const bool is_text = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && H5Tget_size(type) <= 64;
    if (is_text) H5Aread(a, type, found.data());
    found = found.c_str();
    if (found != format) throw nearfar::io_error(path_ + " is of the format '" + found + "', not of '" + format + "'");
  }

  void find(const std::string& name, value_type type, file_findings& found) const {
    const handle d(hdf5_.checked(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), "it has no data set " + name), H5Dclose);
    const handle stored(H5Dget_type(d), H5Tclose), space(H5Dget_space(d), H5Sclose);
    const haddr_t at = H5Dget_offset(d);
    if (H5Tequal(stored, native(type)) <= 0 || at == HADDR_UNDEF)
      throw nearfar::io_error(path_ + ": the values of " + name + " are of another type");
    const hssize_t count = hdf5_.checked(H5Sget_simple_extent_npoints(space), name + " has no extents");
    const auto end = static_cast<std::int64_t>(at) + count * static_cast<std::int64_t>(H5Tget_size(stored));
    if (const std::int64_t size = apps::own_file::to_read(path_).size(); end > size)
      throw nearfar::io_error(path_ + " is truncated: " + name + " ends at byte " + std::to_string(end) +
                              ", the file at " + std::to_string(size));
    found.offsets.push_back(static_cast<std::int64_t>(at));
    found.counts.push_back(count);
  }

  std::vector<double> numbers(const std::string& name) const {
    const handle a(hdf5_.checked(H5Aopen(file_, name.c_str(), H5P_DEFAULT), "it has no attribute " + name), H5Aclose);
    const handle space(H5Aget_space(a), H5Sclose);
    std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    hdf5_.checked(H5Aread(a, H5T_NATIVE_DOUBLE, values.data()), "the attribute " + name + " is no number");
    return values;
  }

 private:
  std::string path_;
  const quiet_hdf5& hdf5_;
  handle file_;
};

}  // namespace

static std::vector<byte_range> ranges_of(const file_layout& layout, const std::vector<std::int64_t>& offsets) {
  std::vector<byte_range> ranges;
  for (std::size_t n = 0; n < offsets.size(); ++n) {
    std::int64_t bytes = static_cast<std::int64_t>(H5Tget_size(native(layout.data[n].type)));
    for (const std::int64_t extent : layout.data[n].extents) bytes *= extent;
    ranges.push_back({offsets[n], bytes});
  }
  return ranges;
}

std::vector<std::int64_t> lay_out(const std::string& path, const file_layout& layout) {
  apps::own_file::made_anew(path).close();  // the system says better than HDF5 why that cannot be
  const quiet_hdf5 hdf5(path);
  layout_writer file(path, hdf5);
  std::vector<std::int64_t> offsets;
  for (const data_set& d : layout.data) offsets.push_back(file.add(d));
  for (const attribute& a : layout.attributes) file.add(a);
  file.close();
  if (layout.is_sealed) seal(path, ranges_of(layout, offsets));
  apps::own_file whole = apps::own_file::to_write(path);
  whole.reserve(whole.size());
  whole.close();
  return offsets;
}

file_findings look_into(const std::string& path, const file_wishes& wishes) {
  const bool has_seal = wishes.is_sealed && is_sealed(path);  // before HDF5 believes what may be damaged
  apps::own_file::to_read(path).close();
  const quiet_hdf5 hdf5(path);
  const layout_reader file(path, hdf5);
  file.check_format(wishes.format);
  if (wishes.is_sealed && !has_seal) throw nearfar::io_error(path + " is damaged: its end is missing");
  file_findings found;
  for (const auto& [name, type] : wishes.data) file.find(name, type, found);
  for (const std::string& name : wishes.attributes) found.attributes.push_back(file.numbers(name));
  return found;
}

}  // namespace adaptive_heat
