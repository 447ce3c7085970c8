// SPDX-License-Identifier: BSD-3-Clause
// A file of HDF5's that is made in memory: pieces of bytes by their places, with holes where nothing was written, so
// that data sets of any size cost nothing. No system call is made, and so none fails.
#pragma once

#include <map>
#include <vector>

#include "formats/file_plan.hpp"

namespace nearfar::output {

struct hdf5_memory {
  static constexpr index_t page = 4096;
  std::map<index_t, std::vector<std::byte>> pages;  ///< by the place of their first byte
  index_t end = 0;                                  ///< bytes of the file

  /// The bytes between two places; zeros where nothing was written.
  std::vector<std::byte> bytes(index_t from, index_t to) const;
};

/// Sets a property list of HDF5 for access to files so that the next one that is made with it is `in`. @throws io_error
void use_memory(std::int64_t access, hdf5_memory& in);

}  // namespace nearfar::output
