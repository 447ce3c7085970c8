// SPDX-License-Identifier: BSD-3-Clause
// What every caller of HDF5 needs: handles that are closed, and reasons instead of printing. Headers only.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

namespace nearfar::hdf5 {

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
  hid_t release() { return std::exchange(id_, -1); }

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
inline std::string reason() {
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

}  // namespace nearfar::hdf5
