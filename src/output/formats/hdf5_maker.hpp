// SPDX-License-Identifier: BSD-3-Clause
// Makes HDF5 files without the values of arrays, and returns the places of these: contiguous and allocated early. In
// one process, without MPI.
#pragma once

#include <map>
#include <nearfar/output.hpp>
#include <string>
#include <utility>
#include <vector>

#include "formats/attributes.hpp"
#include "formats/file_plan.hpp"
#include "formats/hdf5_memory.hpp"

namespace nearfar::output {

/// All of a file but the values that are written later.
struct hdf5_skeleton {
  index_t bytes = 0;
  std::vector<fixed_piece> pieces;
  std::map<std::string, index_t> offsets;  ///< where the values of data sets begin
  std::vector<step_count> counts;          ///< of data sets that grow, in the order in which they were added
};

/// A data set of a file that is there.
struct hdf5_source {
  std::vector<index_t> extents;
  std::int64_t type = -1;  ///< of HDF5, closed with the object
  hdf5_source() = default;
  hdf5_source(hdf5_source&& other) noexcept : extents(std::move(other.extents)), type(std::exchange(other.type, -1)) {}
  ~hdf5_source();
};

/// What elements of int8 are in the file.
enum class byte_meaning { number, unsigned_number, control_message };

/// A data set has the extents that it is made with, or its first extent is the number of steps that are whole.
enum class growth { none, by_steps };

/// A file that is read.
class hdf5_look {
 public:
  /// @throws io_error
  explicit hdf5_look(const std::string& path);
  ~hdf5_look();
  hdf5_look(const hdf5_look&) = delete;
  hdf5_look& operator=(const hdf5_look&) = delete;
  hdf5_source find(const std::string& name) const;               ///< @throws io_error
  std::vector<index_t> integers(const std::string& name) const;  ///< all values of a data set. @throws io_error

 private:
  std::string path_;
  std::int64_t file_ = -1;
};

/// Comes about in memory.
class hdf5_maker {
 public:
  /// `path`: of the file, for messages. @throws io_error  with the words of HDF5
  explicit hdf5_maker(const std::string& path, int layout = newest_layout);
  ~hdf5_maker();
  hdf5_maker(const hdf5_maker&) = delete;
  hdf5_maker& operator=(const hdf5_maker&) = delete;

  /// A data set whose values are written later. Names have their groups before them: A/B.
  void add_later(const std::string& name, element_type type, const std::vector<index_t>& extents,
                 byte_meaning meaning = byte_meaning::number, growth grows = growth::none);
  void add_values(const std::string& name, const std::vector<double>& values);
  void add_values(const std::string& name, const std::vector<std::int64_t>& values,
                  const std::vector<index_t>& extents = {});
  /// A data set that consists of those of the same name in other files of the folder, one behind the other along the
  /// first axis.
  void add_mapped(const std::string& name, const hdf5_source& first, const std::vector<std::string>& files,
                  const std::vector<index_t>& rows);
  void add_scalar(const std::string& name, double value);
  void add_group(const std::string& name);
  /// The dimension that is netCDF's number `id`: a data set that is there, or none but an extent.
  void make_dimension(const std::string& name, index_t extent, int id, bool has_values);
  void use_dimension(const std::string& name, int axis, const std::string& dimension);
  /// Of a data set or group; "/" is the file.
  void note(const std::string& object, const std::string& key, const std::string& words);
  void note(const std::string& object, const std::string& key, const std::vector<double>& numbers);
  void note(const std::string& object, const std::string& key, const std::vector<std::int64_t>& numbers);
  void note_count(const std::string& object, const std::string& key, std::int64_t number);  ///< a scalar
  /// Numbers of the type of a data set's elements; else of 32 or 64 bits, or double.
  void note(const std::string& object, const std::string& key, const attribute_value& numbers, bool of_elements);
  /// Closes the file and takes it into memory, without values that are written later.
  hdf5_skeleton finish();

 private:
  struct later {
    std::string name;
    index_t bytes;
    growth grows;
  };
  void note(const std::string& object, const std::string& key, std::int64_t type, std::int64_t space,
            const void* value);
  std::int64_t checked(std::int64_t result, const std::string& what) const;
  std::int64_t make(const std::string& name, std::int64_t type, const std::vector<index_t>& extents, bool is_early,
                    growth grows = growth::none);
  index_t header_of(const std::string& name) const;
  std::string path_;
  hdf5_memory memory_;
  std::int64_t file_ = -1;
  std::vector<later> later_;
};

}  // namespace nearfar::output
