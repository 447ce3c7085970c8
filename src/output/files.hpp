// SPDX-License-Identifier: BSD-3-Clause
// The files of a stream, as the root makes them and as a writer writes into them.
#pragma once

#include <base/bytes.hpp>
#include <string>
#include <utility>
#include <vector>

#include "block_pool.hpp"
#include "layout.hpp"

namespace nearfar::output {

inline constexpr index_t block_bytes = 8 << 20;

/// An open file; closed with the object.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int file) noexcept : file_(file) {}
  descriptor(descriptor&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~descriptor();
  int get() const noexcept { return file_; }

 private:
  int file_ = -1;
};

/// @throws io_error naming the path
descriptor open_file(const std::string& path, int flags);
[[noreturn]] void refuse_file(const std::string& path, const char* what, int code);
/// All of a small file that streams make for themselves; "" where it is not there and need not be. Does not wait for a
/// pipe, nor take a device or a folder for one. @throws io_error
std::string bytes_of_own_file(const std::string& path, bool must_exist);

/// Both go on after a signal, and behind what a call has written. @returns an errno; 0: fine
int write_all(int file, const void* from, index_t bytes, index_t offset);
int sync_data(int file);

/// An array's data file, open for writing.
class data_file {
 public:
  data_file() = default;
  /// `flags`: of open(), besides writing. @throws io_error
  data_file(std::string path, bool is_direct_wanted, int flags = 0);
  bool is_open() const noexcept { return plain_.get() >= 0; }
  const std::string& path() const noexcept { return path_; }
  bool is_direct() const noexcept { return direct_.get() >= 0; }
  /// Space on the disk for what comes, where the file system can do that. @returns an errno; 0: fine
  int reserve(index_t offset, index_t bytes) const;
  int sync() const;  ///< @returns an errno
  /// A few bytes, at once, through the page cache. @returns an errno
  int write(const void* from, index_t bytes, index_t offset) const;
  bool owns(int plain_descriptor) const noexcept { return plain_.get() == plain_descriptor; }
  /// Cuts a piece of memory into blocks: those that may go past the page cache, and what is left of pages at both ends.
  void add_blocks(std::vector<block>& to, const std::byte* from, index_t bytes, index_t offset) const;

 private:
  block plain(const std::byte* from, index_t bytes, index_t offset) const;
  std::string path_;
  descriptor plain_, direct_;
};

/// Makes names last: fsync of the folder that `path` is in. Best effort.
void sync_folder_of(const std::string& path);

/// The whole file anew, or none of it: written beside it and renamed. @throws io_error
void replace_file(const std::string& path, const std::string& contents, bool is_synced);

}  // namespace nearfar::output
