// SPDX-License-Identifier: BSD-3-Clause
// HDF5 is not safe for threads: a rank's threads take turns.
#include <algorithm>
#include <files/hdf5.hpp>
#include <files/hdf5_header.hpp>
#include <hdf5/handles.hpp>
#include <mutex>
#include <nearfar/error.hpp>

namespace seismic {
namespace {

using nearfar::hdf5::handle;

std::mutex hdf5_turn;

struct open_dataset {
  handle file, data;
};

[[noreturn]] void refuse_hdf5(const std::string& path, const std::string& why) {
  throw nearfar::io_error(path + " cannot be read as HDF5: " + why);
}

handle opened_file(const std::string& path) {
  apps::own_file::to_read(path).close();  // the system says better than HDF5 why that cannot be
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (id < 0) refuse_hdf5(path, nearfar::hdf5::reason());
  return {id, H5Fclose};
}

std::vector<std::string> datasets_in(hid_t file) {
  std::vector<std::string> names;
  H5Literate(
      file, H5_INDEX_NAME, H5_ITER_INC, nullptr,
      [](hid_t group, const char* name, const H5L_info_t*, void* to) -> herr_t {
        const handle object(H5Oopen(group, name, H5P_DEFAULT), H5Oclose);
        if (object >= 0 && H5Iget_type(object) == H5I_DATASET)
          static_cast<std::vector<std::string>*>(to)->push_back(name);
        return 0;
      },
      &names);
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
  return all.empty() ? "none" : all;
}

std::string only_dataset(const std::string& path, hid_t file) {
  const std::vector<std::string> names = datasets_in(file);
  if (names.size() != 1)
    refuse_hdf5(path, "its root group has " + std::to_string(names.size()) + " datasets (" + listed(names) + "); " +
                          path + ":/NAME says which one is meant");
  return names.front();
}

handle opened_dataset(const std::string& path, hid_t file, const std::string& name) {
  const hid_t id = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  if (id < 0)
    refuse_hdf5(path, "there is no dataset " + name + "; those of its root group are " + listed(datasets_in(file)));
  return {id, H5Dclose};
}

std::vector<hsize_t> sizes_of(std::span<const index_t> a) { return {a.begin(), a.end()}; }

class hdf5_array : public array_source {
 public:
  hdf5_array(const std::string& path, const std::string& dataset) : path_(path), dataset_(dataset) {
    const std::lock_guard turn(hdf5_turn);
    const nearfar::hdf5::quiet_hdf5 quiet;
    const handle file = opened_file(path_);
    if (dataset_.empty()) dataset_ = only_dataset(path_, file);
    const handle data = opened_dataset(path_, file, dataset_);
    const handle type(H5Dget_type(data), H5Tclose), space(H5Dget_space(data), H5Sclose);
    const H5T_class_t kind = H5Tget_class(type);
    if (kind != H5T_FLOAT && kind != H5T_INTEGER) refuse_hdf5(path_, dataset_ + " does not hold numbers");
    const int dimensions = H5Sget_simple_extent_ndims(space);
    if (dimensions < 1 || dimensions > 4)
      refuse_hdf5(path_, dataset_ + " has " + std::to_string(dimensions) + " dimensions; 1 to 4 are taken");
    std::vector<hsize_t> sizes(static_cast<std::size_t>(dimensions));
    H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
    for (const hsize_t n : sizes) extents_.push_back(static_cast<index_t>(n));
    checked_product(extents_, name());
    header_ = hdf5_header(file, data, extents_);
  }

  const std::vector<index_t>& extents() const override { return extents_; }
  const file_header& header() const override { return header_; }
  std::string name() const override { return path_ + ":" + dataset_; }

  void read(std::span<const index_t> lower, std::span<const index_t> upper, std::span<float> values) const override {
    const std::lock_guard turn(hdf5_turn);
    const nearfar::hdf5::quiet_hdf5 quiet;
    const handle file = opened_file(path_), data = opened_dataset(path_, file, dataset_),
                 from(H5Dget_space(data), H5Sclose);
    std::vector<hsize_t> start = sizes_of(lower), count = sizes_of(upper);
    for (std::size_t d = 0; d < count.size(); ++d) count[d] -= start[d];
    const handle to(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
    const bool is_read = H5Sselect_hyperslab(from, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) >= 0 &&
                         H5Dread(data, H5T_NATIVE_FLOAT, to, from, H5P_DEFAULT, values.data()) >= 0;
    if (!is_read) refuse_hdf5(path_, dataset_ + ": " + nearfar::hdf5::reason());
  }

 private:
  std::string path_, dataset_;
  std::vector<index_t> extents_;
  file_header header_;
};

}  // namespace

std::shared_ptr<const array_source> open_hdf5(const std::string& path, const std::string& dataset) {
  return std::make_shared<hdf5_array>(path, dataset);
}

}  // namespace seismic
