// SPDX-License-Identifier: BSD-3-Clause
// Which data sets and attributes an HDF5 file has, and where in the file the values of its data sets lie. Of one process, without MPI.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace adaptive_heat {

enum class value_type { f64, i64, u64, i32, u8 };

struct data_set {
  std::string name;  ///< with its groups: /A/B
  value_type type;
  std::vector<std::int64_t> extents;  ///< slowest first; none is 0
};
struct attribute {
  std::string group;  ///< "/" is the file itself
  std::string name;
  std::variant<std::string, std::vector<std::int64_t>, std::vector<double>> value;
};
struct file_layout {
  std::vector<data_set> data;
  std::vector<attribute> attributes;
  bool is_sealed =
      false;  ///< all but the values is protected by a sum (output/seal); data sets have values of their own then
};

/// Makes the file, and what it needs to be read; returns where the values of each data set begin, in bytes: they are contiguous.
/// @throws nearfar::io_error with the words of the system or of HDF5
std::vector<std::int64_t> lay_out(const std::string& path, const file_layout& layout);

/// What a reader needs: data sets of a type, and attributes of one or more doubles.
struct file_wishes {
  std::string format;  ///< the value of the file's attribute "format"
  std::vector<std::pair<std::string, value_type>> data;
  std::vector<std::string> attributes;  ///< of the file itself
  bool is_sealed = false;               ///< looked at before anything else is read
};
struct file_findings {
  std::vector<std::int64_t> offsets, counts;    ///< per data set
  std::vector<std::vector<double>> attributes;  ///< in the order of the wishes
};
/// @throws nearfar::io_error if the file is none of that format, or is truncated or damaged
file_findings look_into(const std::string& path, const file_wishes& wishes);

}  // namespace adaptive_heat
