// SPDX-License-Identifier: BSD-3-Clause
// Arrays of numbers in files, of which a rank reads the part that it needs.
#pragma once

#include <array>
#include <common/own_file.hpp>
#include <grid/grid.hpp>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace seismic {

/// Where a file says that its numbers lie along a dimension; nan and empty: it does not.
struct array_axis {
  double origin = std::numeric_limits<double>::quiet_NaN(), spacing = origin;
  std::string unit{};
};

/// What a file says of the places of its numbers, in whatever way its format has for that.
struct file_header {
  std::vector<array_axis> axes{};       ///< as extents, or none
  std::array<array_axis, 3> by_name{};  ///< of the ground's z, y and x, where the file names these
  std::vector<std::string> unclear{};   ///< "coordinates in degrees": it says something, but not where numbers lie
};

/// An array of one to three dimensions; extents are listed as it is stored, slowest first.
class array_source {
 public:
  virtual ~array_source() = default;
  virtual const std::vector<index_t>& extents() const = 0;
  virtual const file_header& header() const = 0;
  /// The numbers lower[d] <= i[d] < upper[d], in the file's order. Local. @throws nearfar::io_error
  virtual void read(std::span<const index_t> lower, std::span<const index_t> upper, std::span<float> values) const = 0;
  virtual std::string name() const = 0;
};

enum class element_type { float32, float64 };

/// The place of numbers whose own places are listed: the first one's, and the mean distance of neighbours. nan where
/// these differ, fall, or are all the same.
/// @param slack  of each place: how far rounding may have moved it
array_axis even_axis(std::span<const double> places, double slack);

/// Where a plain array lies in a file.
struct array_layout {
  std::string path;
  std::int64_t offset_bytes = 0;
  std::vector<index_t> extents;  ///< slowest first
  file_header header{};
  element_type type = element_type::float32;
  bool is_big_endian = false;
};

/// "200 x 150 x 100"
std::string shown(std::span<const index_t> extents);

/// The number of elements. @param what  "vp.npy": for messages
/// @throws nearfar::io_error  an extent below 1, more than 2^44 elements in all
index_t checked_product(std::span<const index_t> extents, const std::string& what);

/// A plain array, read by pread row by row, so that it need not fit into memory.
class array_file : public array_source {
 public:
  /// @throws nearfar::io_error  not there; shorter than the layout says, with both numbers of bytes
  explicit array_file(array_layout layout);
  const std::vector<index_t>& extents() const override { return layout_.extents; }
  const file_header& header() const override { return layout_.header; }
  void read(std::span<const index_t> lower, std::span<const index_t> upper, std::span<float> values) const override;
  void read_doubles(index_t from, std::span<double> values) const;  ///< elements in the order of the file
  std::string name() const override { return layout_.path; }

 private:
  void read_row(index_t from, std::span<float> values) const;

  array_layout layout_;
  apps::own_file file_;
};

/// Calls act(row, flat index of the first element) for each row of the fastest dimension of a box of an array.
template <class Act>
void for_each_row(std::span<const index_t> extents, std::span<const index_t> lower, std::span<const index_t> upper,
                  const Act& act) {
  std::vector<index_t> at(lower.begin(), lower.end());
  const std::size_t last = extents.size() - 1;
  for (std::size_t d = 0; d <= last; ++d)
    if (upper[d] <= lower[d]) return;
  for (index_t row = 0;; ++row) {
    index_t flat = 0;
    for (std::size_t d = 0; d <= last; ++d) flat = flat * extents[d] + at[d];
    act(row, flat);
    std::size_t d = last;
    while (d > 0 && ++at[d - 1] == upper[d - 1]) at[d - 1] = lower[d - 1], --d;
    if (d == 0) return;
  }
}

}  // namespace seismic
