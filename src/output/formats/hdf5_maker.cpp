// SPDX-License-Identifier: BSD-3-Clause
// The only place that calls HDF5.
#ifdef NEARFAR_HAVE_HDF5
#include "formats/hdf5_maker.hpp"

#include <fcntl.h>
#include <hdf5.h>
#include <hdf5_hl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "files.hpp"

namespace nearfar::output {

namespace {

/// Closes what HDF5 gave.
class handle {
 public:
  handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~handle() {
    if (id_ >= 0) close_(id_);
  }
  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;
  operator hid_t() const { return id_; }  // NOLINT: implicit by intent

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// HDF5 prints what fails unless it is told not to; then it only remembers.
class quiet_hdf5 {
 public:
  quiet_hdf5() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~quiet_hdf5() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  quiet_hdf5(const quiet_hdf5&) = delete;
  quiet_hdf5& operator=(const quiet_hdf5&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// The innermost of HDF5's messages, which says most.
std::string reason() {
  std::string words = "HDF5 does not say why";
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_DOWNWARD,
      [](unsigned, const H5E_error2_t* e, void* to) -> herr_t {
        if (e->desc != nullptr) *static_cast<std::string*>(to) = e->desc;
        return 0;
      },
      &words);
  return words;
}

hid_t complex_of(hid_t part, std::size_t bytes) {
  const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * bytes);
  H5Tinsert(type, "r", 0, part);
  H5Tinsert(type, "i", bytes, part);
  return type;
}

/// The caller closes it.
hid_t new_type(element_type type) {
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
  }
  return -1;
}

hid_t line_of(std::size_t count) {
  const hsize_t extent = count;
  return H5Screate_simple(1, &extent, nullptr);
}

std::vector<std::byte> bytes_of_file(const descriptor& from, const std::string& path, index offset, index bytes) {
  std::vector<std::byte> all(as_size(bytes));
  for (index done = 0; done < bytes;) {
    const ssize_t n = pread(from.get(), all.data() + done, as_size(bytes - done), offset + done);
    if (n <= 0) refuse_file(path, "read", n < 0 ? errno : EIO);
    done += n;
  }
  return all;
}

}  // namespace

hdf5_maker::hdf5_maker(const std::string& beside) : path_(text(beside, ".new.", getpid())) {
  open_file(path_, O_WRONLY | O_CREAT | O_TRUNC);  // the system says better than HDF5 why that cannot be
  const quiet_hdf5 quiet;
  const handle made(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_link_creation_order(made, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);  // as netCDF wants it
  H5Pset_attr_creation_order(made, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_obj_track_times(made, false);  // the same stream, the same bytes
  file_ = checked(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, made, H5P_DEFAULT), "it cannot be made");
}

hdf5_maker::~hdf5_maker() {
  if (file_ >= 0) H5Fclose(file_);
  std::remove(path_.c_str());
}

std::int64_t hdf5_maker::checked(std::int64_t result, const std::string& what) const {
  if (result < 0) throw io_error(path_ + ": " + what + ": " + reason());
  return result;
}

std::int64_t hdf5_maker::make(const std::string& name, std::int64_t type, const std::vector<index>& extents,
                              bool is_early) {
  const quiet_hdf5 quiet;
  const std::vector<hsize_t> sizes(extents.begin(), extents.end());
  const handle space(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), H5Sclose);
  const handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose), how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  H5Pset_layout(how, H5D_CONTIGUOUS);
  H5Pset_alloc_time(how, is_early ? H5D_ALLOC_TIME_EARLY : H5D_ALLOC_TIME_LATE);
  H5Pset_fill_time(how, H5D_FILL_TIME_NEVER);
  H5Pset_obj_track_times(how, false);
  H5Pset_attr_creation_order(how, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  return checked(H5Dcreate2(file_, name.c_str(), type, space, links, how, H5P_DEFAULT), name + " cannot be made");
}

void hdf5_maker::add_later(const std::string& name, element_type type, const std::vector<index>& extents) {
  const handle kind(new_type(type), H5Tclose), made(make(name, kind, extents, true), H5Dclose);
  index bytes = bytes_of(type);
  for (const index e : extents) bytes *= e;
  later_.push_back({name, bytes});
}

void hdf5_maker::add_values(const std::string& name, const std::vector<double>& values) {
  const handle made(make(name, H5T_NATIVE_DOUBLE, {as_index(values.size())}, true), H5Dclose);
  checked(H5Dwrite(made, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), name + " cannot be written");
}

void hdf5_maker::add_group(const std::string& name) {
  const handle made(checked(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), name), H5Gclose);
}

// As netCDF does it: https://docs.unidata.ucar.edu/netcdf-c, "NetCDF-4 Format".
void hdf5_maker::make_dimension(const std::string& name, index extent, int id, bool has_values) {
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

void hdf5_maker::note_alike(const std::string& object, const std::string& key, double number) {
  const handle d(checked(H5Dopen2(file_, object.c_str(), H5P_DEFAULT), object), H5Dclose),
      type(H5Dget_type(d), H5Tclose);
  alignas(double) unsigned char value[sizeof(double)];
  std::copy_n(reinterpret_cast<const unsigned char*>(&number), sizeof number, value);
  checked(H5Tconvert(H5T_NATIVE_DOUBLE, type, 1, value, nullptr, H5P_DEFAULT),
          key + " is no number of its array's type");
  note(object, key, type, handle(line_of(1), H5Sclose), value);
}

hdf5_skeleton hdf5_maker::finish() {
  hdf5_skeleton s;
  std::vector<std::pair<index, index>> holes;  // where values come later: from, to
  for (const later& l : later_) {
    const handle d(checked(H5Dopen2(file_, l.name.c_str(), H5P_DEFAULT), l.name), H5Dclose);
    const haddr_t at = H5Dget_offset(d);
    if (at == HADDR_UNDEF) throw io_error(path_ + ": HDF5 has no place for " + l.name);
    s.offsets[l.name] = static_cast<index>(at);
    holes.emplace_back(static_cast<index>(at), static_cast<index>(at) + l.bytes);
  }
  checked(H5Fclose(std::exchange(file_, -1)), "it cannot be closed");
  const descriptor d = open_file(path_, O_RDONLY);
  s.bytes = static_cast<index>(lseek(d.get(), 0, SEEK_END));
  std::sort(holes.begin(), holes.end());
  holes.emplace_back(s.bytes, s.bytes);
  index from = 0;
  for (const auto& [begin, end] : holes) {
    if (begin > from) s.pieces.push_back({from, bytes_of_file(d, path_, from, begin - from)});
    from = end;
  }
  return s;
}

}  // namespace nearfar::output
#endif
