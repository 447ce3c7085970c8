// SPDX-License-Identifier: BSD-3-Clause
// A file's descriptor with errors in the system's own words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace apps {

/// Every call throws nearfar::io_error with the file's name. Movable.
class own_file {
 public:
  own_file() = default;
  static own_file to_read(const std::string& path);
  static own_file to_write(const std::string& path);  ///< which is there
  static own_file made_anew(const std::string& path);
  ~own_file();
  own_file(own_file&& other) noexcept : path_(std::move(other.path_)), handle_(std::exchange(other.handle_, -1)) {}
  own_file& operator=(own_file&& other) noexcept {
    std::swap(path_, other.path_), std::swap(handle_, other.handle_);
    return *this;
  }

  void write(std::int64_t at, std::span<const std::byte> bytes);
  void read(std::int64_t at, std::span<std::byte> bytes) const;
  std::int64_t size() const;
  void close();  ///< some systems tell only here that a write has failed

 private:
  own_file(std::string path, int handle) : path_(std::move(path)), handle_(handle) {}
  [[noreturn]] void fail(const char* what, int error) const;

  std::string path_;
  int handle_ = -1;
};

/// A small file with that text, which replaces what has the name only when it is whole. Local. @throws
/// nearfar::io_error
void write_whole(const std::string& path, const std::string& text);
/// That a file of this name can be made or replaced; changes nothing that is there. Local. @throws nearfar::io_error
/// with the system's words
void check_writable(const std::string& path);
/// @throws nearfar::io_error
void rename_file(const std::string& from, const std::string& to);

}  // namespace apps
