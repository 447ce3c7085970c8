// SPDX-License-Identifier: BSD-3-Clause
// A nameless file of shared memory that holds all chunks of a process: one descriptor for all of them.
#pragma once

#include <sys/types.h>

#include <base/numbers.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "free_runs.hpp"

namespace nearfar::near {

/// Where the memory comes from: NEARFAR_SHM.
enum class backing { shared_memory_folder, memory_file, none };

/// Unset: /dev/shm, and memory files where files cannot be made in it at all, as in containers without one.
backing wanted_backing();

/// What is left of it on this node for near memory, without the part of /dev/shm that the MPI is left; 0 for none.
index_t free_bytes(backing from) noexcept;

/// Do limits of this process, of descriptors or the size of files, leave it no file of so many bytes? Local.
bool is_limited_below(index_t bytes) noexcept;

/// Whether a chunk's pages are there from the start, or come when they are touched, as ordinary memory's do.
enum class pages { reserved, on_touch };

/// Says what was asked for, what call failed and which limit that hit: descriptors, file size, mappings, space.
/// @throws resource_error always
[[noreturn]] void refuse_memory(const std::string& host, index_t bytes, backing from, const char* call, int code);

class shared_file {
 public:
  struct place {
    std::shared_ptr<shared_file> file;
    index_t at = 0;
  };

  /// So many bytes, whole pages, all zero, of the process's file, or of another one where the size of files is limited
  /// and after a fork. Where `when` says so the pages are allocated by this call, and so come from the calling rank's
  /// memory domain. Local, any thread. @throws resource_error
  static place take(index_t bytes, backing from, pages when, const std::string& host);

  /// Gives the place's pages back to the system, also where near ranks still have it mapped. Local, any thread.
  static void give_back(const place& where, index_t bytes) noexcept;

  shared_file(backing from, index_t limit, const std::string& host);
  ~shared_file();
  shared_file(const shared_file&) = delete;
  shared_file& operator=(const shared_file&) = delete;

  int descriptor() const noexcept { return file_; }
  std::uint64_t inode() const noexcept { return inode_; }
  /// False in a child after fork: it shares the pages, but not what is known of them.
  bool is_of_this_process() const noexcept;

 private:
  index_t take_below(index_t limit, index_t bytes);
  int reserve(index_t at, index_t bytes, pages when);

  free_runs free_;
  backing from_;
  pid_t owner_;
  int file_ = -1;
  std::uint64_t inode_ = 0;
  index_t size_ = 0;
};

}  // namespace nearfar::near
