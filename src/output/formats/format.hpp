// SPDX-License-Identifier: BSD-3-Clause
// A format: what the root makes before the first step, and where the writers store the bytes of each step.
#pragma once

#include <nearfar/output.hpp>
#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "formats/attributes.hpp"
#include "formats/file_plan.hpp"
#include "step_layout.hpp"

namespace nearfar::output {

/// A stream that wants files.
struct format_request {
  const std::string& path;
  const std::vector<output_array>& arrays;
  const output_options& options;
  const std::vector<codec>& codecs;                 ///< per array
  const std::vector<std::vector<index_t>>& chunks;  ///< per array: extents of a writer's part where it is compressed
  int layout = newest_layout;
};

/// A step of a stream with varying arrays.
struct step_request {
  double time = 0;
  std::vector<std::vector<index_t>> rows;  ///< [rank][varying array, in their order]
};

/// The arrays as they are in that step.
std::vector<output_array> arrays_of_step(const format_request& r, const step_request& step);

class format {
 public:
  format() = default;
  format(const format&) = delete;
  format& operator=(const format&) = delete;
  virtual ~format() = default;
  virtual const char* name() const = 0;
  virtual const char* words() const = 0;  ///< what it is, in a line
  /// Whether streams of this format make a file or folder whose name is the stream's path with `behind` after it.
  virtual bool has_made(const std::string& behind) const = 0;
  virtual bool has_compression() const { return false; }
  virtual bool has_varying() const { return false; }
  virtual bool has_one_writer() const { return false; }  ///< one process writes all data, and always the same
  virtual bool has_constant(const output_options&) const { return false; }
  /// Of this rank's arrays and options, which all ranks have alike. @throws usage_error
  virtual void check(const std::vector<output_array>&, const output_options&) const {}
  /// On the root only; makes nothing. @throws io_error
  virtual file_plan lay_out(const format_request& r) const = 0;
  /// Of formats with varying arrays, on the root only. @throws usage_error  ranks' rows that do not fit together
  virtual void check_rows(const std::vector<output_array>&, const step_request&) const {}
  /// The step's file, without bricks, with its time. On the root only. @throws io_error
  virtual step_layout lay_out_step(const format_request&, const step_request&) const { return {}; }
};

/// @throws usage_error  naming the one that is most alike, and all there are
const format& format_of(const std::string& name);
/// Null where this build has none of that name.
const format* find_format(const std::string& name);

/// Whether `behind` is a dot, a number of at least six digits and `ending`, or that with ".part": what files of steps
/// are called.
bool is_file_of_step(std::string behind, const std::string& ending);

index_t frame_bytes_of(const output_array& a);
/// The number that the next file of a list gets.
inline int as_file_number(const std::vector<stream_file>& files) { return static_cast<int>(files.size()); }
/// The name among `names` that takes the fewest changes of letters to become `asked`.
std::string most_alike(const std::string& asked, const std::vector<std::string>& names);

/// A dimension that arrays of a stream share.
struct dimension {
  std::string name;
  index_t extent = 0;
  const output_axis* axis = nullptr;  ///< values and attributes, where given
  bool is_array = false;              ///< an array of this name has the values: see part_from_arrays()
};

/// The dimensions of all arrays, and which of them each array has, slowest first. Without names they are …, z, y, x,
/// with the array's name behind where another array has an x of another extent.
/// @throws usage_error  one name for two extents, too few names, an axis with another number of values
struct dimension_table {
  dimension_table(const std::vector<output_array>& arrays, const std::vector<output_axis>& axes);

  /// For files that keep arrays and dimensions in one place. A constant array that has one dimension and its name is
  /// the values of that dimension (netCDF's coordinate variable); any other dimension that has the name of an array
  /// gets another one: x_dim. @throws usage_error  an array that has the name of an axis or is called time
  void part_from_arrays(const std::vector<output_array>& arrays);
  std::vector<dimension> all;
  std::vector<std::vector<std::size_t>> of_array;
  const output_axis* time = nullptr;        ///< the axis called "time": attributes of the steps' times
  std::vector<const output_axis*> scalars;  ///< axes of one value that are no array's dimension

 private:
  std::size_t find_or_add(const output_array& a, std::size_t d);
  void give_axes(const std::vector<output_axis>& axes);
};

}  // namespace nearfar::output
