// SPDX-License-Identifier: BSD-3-Clause
// HDF5 files that all ranks write or read at once, and that have their name only when they are whole.
#pragma once

#include <common/own_file.hpp>
#include <cstdint>
#include <nearfar/team.hpp>
#include <output/hdf5_layout.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace adaptive_heat {

/// A file that comes about. The root lays it out with the HDF5 library under the name FILE.partial and reserves its
/// space on the disk; then every rank writes its values where they belong, without talking to anybody; then the file
/// gets its name. So any MPI will do, and what has the name is whole. Values of several ranks must not overlap.
class shared_file {
 public:
  /// Collective; only the root's layout counts.
  /// @throws nearfar::io_error  on every rank: no such folder, no permission, no space (with how much is needed and
  /// free)
  /// @cost   memory of the small data sets; two messages per rank
  shared_file(const nearfar::team& members, std::string path, const file_layout& layout);
  ~shared_file();  ///< without commit() nothing is left of the file

  /// Values from number `first` on of data set `which` of the layout. Local; an error is told by commit().
  template <class T>
  void write(std::size_t which, std::int64_t first, std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    write_bytes(offsets_[which] + first * static_cast<std::int64_t>(sizeof(T)), std::as_bytes(values));
  }

  enum class durability { usual, synced };  ///< synced: on the disk, not only on its way to it
  /// All has been written by this rank. Collective.
  /// @throws nearfar::io_error  on every rank, if any could not write; what had the name before still has it
  void commit(durability wanted = durability::usual);

 private:
  void write_bytes(std::int64_t at, std::span<const std::byte> bytes);
  void remove_partial() const noexcept;

  nearfar::team team_;
  std::string path_, partial_;
  std::vector<std::int64_t> offsets_;
  apps::own_file file_;
  std::string complaint_;
  bool is_committed_ = false;
};

/// A file that is there. The root looks at it with the HDF5 library; then every rank reads the values it wants.
class shared_input {
 public:
  /// Collective; only the root's wishes count. @throws nearfar::io_error on every rank: no such file, not HDF5,
  /// truncated, a data set or attribute is missing or has another type
  shared_input(const nearfar::team& members, std::string path, const file_wishes& wishes);

  /// Of the wishes, in their order. Local.
  std::int64_t values_in(std::size_t data_set) const { return found_.counts[data_set]; }
  const std::vector<double>& numbers(std::size_t attribute) const { return found_.attributes[attribute]; }

  /// Values from number `first` on. Local. @throws nearfar::io_error on this rank
  template <class T>
  void read(std::size_t data_set, std::int64_t first, std::span<T> values) const {
    static_assert(std::is_trivially_copyable_v<T>);
    file_.read(found_.offsets[data_set] + first * static_cast<std::int64_t>(sizeof(T)), std::as_writable_bytes(values));
  }

 private:
  file_findings found_;
  apps::own_file file_;
};

}  // namespace adaptive_heat
